import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import type { ToolOutcome } from '../threads/turn.ts'
import { buildAgentTools } from './agent-tools.ts'

eachEngine((open) => {
  let db: Database
  let houses = 0
  beforeAll(async () => {
    db = await open()
  })

  /** Calls tools of one house by name, each call under a key of its own. */
  function house() {
    houses += 1
    let effects = 0
    const { signal } = new AbortController()
    const tools = buildAgentTools(
      {
        houseId: toHouseId(`hse_${houses}`),
        threadId: toThreadId('thr_1'),
        agentId: toActorId('agt_ann'),
        decision: 1,
        hops: 0,
        db,
      },
      new Map(),
    )
    return async (name: string, args: unknown, effectKey = `k${++effects}`): Promise<string> => {
      const tool = tools.find(({ spec }) => spec.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      const outcome: ToolOutcome =
        tool.effect === 'idempotent'
          ? await db.transaction((tx) =>
              tool.apply(tx, { args, signal, effectKey, appended: () => undefined }),
            )
          : await tool.run({ args, signal })
      expect(outcome.isError).toBe(outcome.error !== undefined)
      return outcome.error ?? outcome.text
    }
  }

  test('files are written, patched, read and listed', async () => {
    const call = house()
    expect(await call('list_files', {})).toBe('There are no files.')
    expect(await call('write_file', { path: 'a/b.txt', content: 'one\ntwo\n' })).toBe(
      'File written: a/b.txt',
    )
    expect(await call('patch_file', { path: 'a/b.txt', old_str: 'two', new_str: '2' })).toBe(
      'File patched: a/b.txt',
    )
    expect(await call('read_file', { path: 'a/b.txt' })).toBe('1: one\n2: 2\n')
    await call('write_file', { path: 'c', content: '' })
    expect(await call('list_files', {})).toBe('a/b.txt (6 bytes)\nc (0 bytes)')
    for (const folder of ['a', 'a/'])
      expect(await call('list_files', { folder })).toBe('a/b.txt (6 bytes)')
    for (const folder of ['', '.', '/'])
      expect(await call('list_files', { folder })).toContain('c (0 bytes)')
  })

  test('a call that runs again changes nothing', async () => {
    const call = house()
    await call('write_file', { path: 'a', content: 'one' }, 'first')
    await call('patch_file', { path: 'a', old_str: 'one', new_str: 'two' }, 'second')
    await call('write_file', { path: 'a', content: 'one' }, 'first')
    expect(await call('read_file', { path: 'a' })).toBe('1: two')
  })

  test('a file is moved to where none is, and deleted', async () => {
    const call = house()
    await call('write_file', { path: 'a', content: 'x' })
    await call('write_file', { path: 'b', content: 'y' })
    expect(await call('move_file', { from: 'a', to: 'b' })).toBe('invalid_arguments')
    expect(await call('move_file', { from: 'a', to: 'c/a' })).toBe('File moved: a to c/a')
    expect(await call('read_file', { path: 'a' })).toBe('file_not_found')
    expect(await call('read_file', { path: 'c/a' })).toBe('1: x')
    expect(await call('delete_file', { path: 'b' })).toBe('File deleted: b')
    expect(await call('list_files', {})).toBe('c/a (1 bytes)')
    expect(await call('delete_file', { path: 'b' })).toBe('file_not_found')
    expect(await call('move_file', { from: 'b', to: 'd' })).toBe('file_not_found')
  })

  test.each([
    ['read_file', { path: '../a' }, 'invalid_path'],
    ['write_file', { path: '/a', content: '' }, 'invalid_path'],
    ['patch_file', { path: 'a//b', old_str: '', new_str: '' }, 'invalid_path'],
    ['delete_file', { path: '..' }, 'invalid_path'],
    ['move_file', { from: '..', to: 'a' }, 'invalid_path'],
    ['move_file', { from: 'a', to: '..' }, 'invalid_path'],
    ['list_files', { folder: '../x' }, 'invalid_path'],
    ['read_file', { path: 7 }, 'invalid_arguments'],
    ['write_file', { path: 'a' }, 'invalid_arguments'],
    ['list_files', { folder: 1 }, 'invalid_arguments'],
    ['move_file', {}, 'invalid_arguments'],
    ['delete_file', null, 'invalid_arguments'],
    ['pass', {}, 'invalid_arguments'],
    ['read_file', { path: 'none' }, 'file_not_found'],
  ])('%s %j is refused as %s', async (name, args, error) => {
    expect(await house()(name, args)).toBe(error)
  })

  test('many files are listed up to a bound, and the list says so', async () => {
    const call = house()
    await db.query(
      `insert into files (house_id, path, version, content, author_id, effect_key)
       select $1, 'f' || lpad(n::text, 4, '0'), 1, '', 'a', 'k' from generate_series(1, 501) n`,
      [`hse_${houses}`],
    )
    const lines = (await call('list_files', {})).split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      501,
      'f0001 (0 bytes)',
      'There are more.',
    ])
  })

  test('passing gives its reason', async () => {
    expect(await house()('pass', { reason: 'not mine' })).toBe('not mine')
  })
})
