import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { buildAgentTools, filterAgentTools } from './agent-tools.ts'

const tools = buildAgentTools(
  {
    houseId: toHouseId('hse_1'),
    threadId: toThreadId('thr_1'),
    agentId: toActorId('agt_1'),
    decision: 1,
    hops: 0,
    db: {
      query: () => {
        throw new Error('building tools reads nothing')
      },
    },
  },
  new Map(),
)
const names = (allow: readonly string[] | undefined, deny: readonly string[]) =>
  filterAgentTools(tools, { allow, deny }).map(({ spec }) => spec.name)

test('a bot with no allow list has what reads and what changes files, and nothing that acts on threads', () => {
  expect(names(undefined, [])).toEqual([
    'read_file',
    'write_file',
    'patch_file',
    'list_files',
    'move_file',
    'delete_file',
    'run_command',
    'list_threads',
    'read_thread',
    'list_bots',
    'pass',
  ])
})

test('what acts on threads is offered to a bot that is allowed it by name', () => {
  const acts = ['create_thread', 'rename_thread', 'add_bot', 'mute_bot', 'post_message']
  expect(names(acts, [])).toEqual(acts)
  expect(names(acts, ['post_message'])).toEqual(acts.slice(0, 4))
})

test('an allow list names all there is, and an empty one nothing', () => {
  expect(names(['pass', 'read_file', 'gone'], [])).toEqual(['read_file', 'pass'])
  expect(names([], [])).toEqual([])
})

test('deny wins over allow', () => {
  expect(names(['pass', 'read_file'], ['read_file'])).toEqual(['pass'])
  expect(names(undefined, ['pass'])).not.toContain('pass')
})

test('no two tools share a name, and each has a schema of an object', () => {
  expect(new Set(tools.map(({ spec }) => spec.name)).size).toBe(tools.length)
  for (const { spec } of tools) expect(spec.parameters).toMatchObject({ type: 'object' })
})

test('the page on bot tools lists exactly the tools there are', async () => {
  const page = await readFile(
    join(import.meta.dirname, '../../../docs/system/chat/bot-tools.md'),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\w-]+) \| ([^|]+) \| (\w+) \|/gm)].map(
    (row) => ({
      name: row[1],
      owner: row[2],
      offered: row[3],
      effect: row[4],
    }),
  )
  const inCode = tools.map(({ spec, owner, offered, effect }) => ({
    name: spec.name,
    owner,
    offered,
    effect,
  }))
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }): number =>
    String(a.name).localeCompare(String(b.name))
  expect(rows.toSorted(byName)).toEqual(inCode.toSorted(byName))
})
