import { beforeAll, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { storyteller } from '../../../test/support/entries.ts'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import { recordWrites } from '../../../test/support/turn-writes.ts'
import type { Database } from '../db/executor.ts'
import { LeaseLost, type TurnWrites } from '../threads/turn.ts'
import { MAX_RESULT_BYTES, runToolCall, storeAbandoned } from './run-tool-call.ts'
import type { AgentTool } from './tool.ts'
import type { CallDone, LoopCall } from './tool-loop.ts'

const fields = { owner: 'test', offered: 'always' } as const
const spec = (name: string) => ({ name, description: '', parameters: { type: 'object' } })
const ok = (text: string) => ({ text, isError: false })
const { signal } = new AbortController()

const looking = (run: Extract<AgentTool, { effect: 'none' | 'once' }>['run']): AgentTool => ({
  ...fields,
  spec: spec('look'),
  effect: 'none',
  run,
})

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
    await db.query(`insert into houses (id, name) values ('hse_1', 'first')`)
  })

  function runnerOf(tool: AgentTool, over: Partial<TurnWrites> = {}) {
    const recorded = recordWrites(db, { story: storyteller(), author: 'ann', decision: 1 })
    const writes = { ...recorded, ...over }
    const runner = { tools: new Map([[tool.spec.name, tool]]), writes, clock: fakeClock() }
    const stored = () => recorded.entries.map((entry) => entry.body)
    return { runner, stored }
  }

  const callOf = (over: Partial<LoopCall['call']> = {}, refusal?: string): LoopCall => ({
    round: 2,
    index: 1,
    call: { type: 'toolCall', id: 'c1', name: 'look', arguments: { at: 'x' }, ...over },
    refusal,
  })

  test('a tool gets its arguments and the signal, and what it says is stored at its place', async () => {
    const seen: unknown[] = []
    const { runner, stored } = runnerOf(
      looking(async (run) => {
        seen.push(run)
        return ok('found')
      }),
    )
    const done = await runToolCall(runner, callOf(), signal)
    expect(done).toEqual({ text: 'found', isError: false, ms: 0, bad: false })
    expect(seen).toEqual([{ args: { at: 'x' }, signal }])
    expect(stored()).toEqual([
      {
        decision: 1,
        round: 2,
        index: 1,
        callId: 'c1',
        tool: 'look',
        text: 'found',
        isError: false,
        ms: 0,
      },
    ])
  })

  test('what a tool throws becomes a result', async () => {
    const { runner } = runnerOf(
      looking(async () => {
        throw new Error('no network')
      }),
    )
    expect(await runToolCall(runner, callOf(), signal)).toMatchObject({
      text: 'tool_failed: no network',
      isError: true,
      bad: false,
    })
  })

  test('a tool that does not exist is answered with those that do', async () => {
    const { runner, stored } = runnerOf(looking(async () => ok('')))
    const done = await runToolCall(runner, callOf({ name: 'drop"\ndatabase' }), signal)
    const text = 'unknown_tool: there is no tool "drop\\"\\ndatabase"; offered: look'
    expect(done).toMatchObject({ text, isError: true, bad: true })
    expect(stored()).toMatchObject([{ text, error: 'unknown_tool' }])
  })

  test('arguments that are no JSON are answered with the schema', async () => {
    const { runner } = runnerOf(looking(async () => ok('')))
    const done = await runToolCall(runner, callOf({ argumentsError: 'ends too early' }), signal)
    expect(done).toMatchObject({
      text: 'invalid_arguments: ends too early; look takes {"type":"object"}',
      isError: true,
      bad: true,
    })
  })

  test('arguments that the tool refuses count as a bad call, other errors do not', async () => {
    const outcomes = ['invalid_arguments', 'file_not_found']
    const { runner } = runnerOf(
      looking(async () => ({ text: 'x', isError: true, error: outcomes.shift() ?? '' })),
    )
    const bad = (await runToolCall(runner, callOf(), signal)).bad
    const other = (await runToolCall(runner, { ...callOf(), index: 2 }, signal)).bad
    expect([bad, other]).toEqual([true, false])
  })

  test('a refused call is answered without being run', async () => {
    const { runner, stored } = runnerOf(
      looking(() => {
        throw new Error('it ran')
      }),
    )
    const done = await runToolCall(runner, callOf({}, 'the turn has ended'), signal)
    expect(done).toMatchObject({ text: 'not_run: the turn has ended', isError: true, bad: false })
    expect(stored()).toMatchObject([{ error: 'not_run' }])
  })

  test('[E5] an empty result says that it is one', async () => {
    const { runner } = runnerOf(looking(async () => ok('')))
    expect(await runToolCall(runner, callOf(), signal)).toMatchObject({ text: '(no output)' })
  })

  test('a long result keeps head and tail within 64 KiB, and what no database holds is replaced', async () => {
    const { runner } = runnerOf(looking(async () => ok(`head\0\uD800${'ä'.repeat(200_000)}tail`)))
    const { text } = await runToolCall(runner, callOf(), signal)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_RESULT_BYTES - 200)
    expect(text).toMatch(
      /^head\uFFFD\uFFFDä+\n\[… \d+ of 400014 bytes are left out here …\]\nä+tail$/,
    )
  })

  test('a tool that ends the turn says why, unless it failed', async () => {
    const outcomes = [ok('not mine'), { text: 'no', isError: true }]
    const { runner } = runnerOf({
      ...fields,
      spec: spec('look'),
      effect: 'none',
      endsTurn: 'passed',
      run: async () => outcomes.shift() ?? ok(''),
    })
    const first: CallDone = await runToolCall(runner, callOf(), signal)
    const second: CallDone = await runToolCall(runner, { ...callOf(), index: 2 }, signal)
    expect([first.passed, second.passed]).toEqual([{ reason: 'not mine' }, undefined])
  })

  const renaming = (after: () => void = () => undefined): AgentTool => ({
    ...fields,
    spec: spec('look'),
    effect: 'idempotent',
    async apply(tx, { effectKey }) {
      await tx.query(`update houses set name = $1 where id = 'hse_1'`, [effectKey])
      after()
      return ok('renamed')
    },
  })
  const houseName = async (): Promise<string | undefined> => {
    const rows = await db.query<{ name: string }>(`select name from houses where id = 'hse_1'`)
    return rows[0]?.name
  }

  test('an idempotent effect runs under the key of its place, once', async () => {
    const { runner, stored } = runnerOf(renaming())
    await runToolCall(runner, callOf(), signal)
    expect(await houseName()).toBe('thr_1:1:2:1')
    await db.query(`update houses set name = 'kept' where id = 'hse_1'`)
    expect(await runToolCall(runner, callOf(), signal)).toMatchObject({ text: 'renamed' })
    expect(await houseName()).toBe('kept')
    expect(stored().length).toBe(1)
  })

  test('an effect that throws leaves nothing but the result that says so', async () => {
    await db.query(`update houses set name = 'before' where id = 'hse_1'`)
    const { runner, stored } = runnerOf(
      renaming(() => {
        throw new Error('half way')
      }),
    )
    expect(await runToolCall(runner, callOf(), signal)).toMatchObject({
      text: 'tool_failed: half way',
      isError: true,
    })
    expect(await houseName()).toBe('before')
    expect(stored()).toMatchObject([{ text: 'tool_failed: half way', error: 'tool_failed' }])
  })

  test('a lost lease is no result: it rises', async () => {
    const lost = async (): Promise<never> => {
      throw new LeaseLost('gone')
    }
    const { runner } = runnerOf(renaming(), { toolEffect: lost, toolResult: lost })
    await expect(runToolCall(runner, callOf(), signal)).rejects.toThrow(LeaseLost)
  })

  test('of the calls of a turn that is given up, the first may have run and the others never began', async () => {
    const { runner, stored } = runnerOf(renaming())
    await storeAbandoned(runner.writes, [callOf(), { ...callOf(), index: 2 }])
    expect(stored()).toMatchObject([
      { index: 1, error: 'outcome_unknown', isError: true },
      { index: 2, error: 'not_run', isError: true },
    ])
  })
})
