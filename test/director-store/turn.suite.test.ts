import { type DecisionBody, toActorId, type Offset, type ThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ContextRange } from '../../packages/core/streams/read-context.ts'
import { ann, assistant, call, coder, ok, reply, stepsIn, textOf, type Steps } from './steps.ts'
import type { DirectorWorld } from './world.ts'

/** What a turn reads of its thread. */
export function turnSuite(open: () => Promise<DirectorWorld>): void {
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    world = await open()
    steps = stepsIn(world)
  })

  async function contextOf(
    thread: ThreadId,
    { seen }: Pick<DecisionBody, 'seen'>,
    over: Partial<ContextRange> = {},
  ) {
    const { houseId } = await steps.claim(thread)
    const range = { houseId, threadId: thread, botId: ann, from: seen, seen, owed: [], limit: 20 }
    const { entries, after } = await world.turns.context({ ...range, ...over })
    return { after, told: entries.map((entry) => [entry.seq, textOf(entry)]) }
  }

  describe('a turn reads', () => {
    test('[R-36] nothing of what arrived after its decision saw the thread', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.say(thread, { text: 'too late' })
      const { told } = await contextOf(thread, decision)
      expect(told).toEqual([[1, 'hello']])
      expect((await world.store.capture(lease)).seen).toBeGreaterThan(decision.seen)
    })

    test('what its bot did in turns before, whole, and nothing of what another bot did', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await assistant(world, lease, decision)
      await world.turnWrites(lease, decision).toolResult(call, ok)
      await world.store.closeDecision(lease, decision, reply('said'))
      const capture = await world.store.capture(lease)
      const seen = { seen: capture.seen }
      const own = await contextOf(thread, seen)
      expect(own.told.map(([, what]) => what)).toEqual([
        'hello',
        'signal.thread_director.decision',
        'pi.assistant',
        'done',
        'said',
      ])
      const others = await contextOf(thread, seen, { botId: coder })
      expect(others.told.map(([, what]) => what)).toEqual(['hello', 'said'])
    })

    test('the last of the talk, all that it covers before that, and what it owes with its changes', async () => {
      const thread = await world.newThread()
      const said: Offset[] = []
      for (const text of ['owed', 'old', 'covered', 'near', 'last'])
        said.push(await world.say(thread, { text }))
      const [owed, old, , near, last] = said
      if (owed === undefined || old === undefined || near === undefined || last === undefined)
        throw new Error('said')
      const edit = await world.change(thread, { kind: 'chat.edit', target: owed, text: 'mended' })
      const context = await contextOf(thread, { seen: edit }, { from: old, owed: [owed], limit: 2 })
      expect(context).toEqual({
        after: last - 1,
        told: [
          [owed, 'owed'],
          [near - 1, 'covered'],
          [near, 'near'],
          [last, 'last'],
          [edit, 'mended'],
        ],
      })
    })
  })

  describe('a turn has lost its cause', () => {
    const lost = async (thread: ThreadId, causes: readonly Offset[], seen: Offset) => {
      const { houseId } = await steps.claim(thread)
      return world.turns.lostCause({ houseId, threadId: thread, speaker: ann, causes, seen })
    }

    test('when all that it answers was deleted since its decision, and not before', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread)
      const second = await world.say(thread)
      expect(await lost(thread, [first, second], second)).toBeUndefined()
      await world.change(thread, { kind: 'chat.delete', target: first })
      expect(await lost(thread, [first, second], second)).toBeUndefined()
      const gone = await world.change(thread, { kind: 'chat.delete', target: second })
      expect(await lost(thread, [first, second], second)).toBe('cause_deleted')
      expect(await lost(thread, [first, second], gone)).toBeUndefined()
    })

    test('when its speaker is no longer in the thread, whatever it answers', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread)
      await world.removeBot(thread, ann)
      expect(await lost(thread, [], first)).toBe('speaker_left')
    })
  })

  test('a speaker is known by its id, also when it has left the thread', async () => {
    const { thread, lease } = await steps.claimedWith('hello')
    await world.removeBot(thread, ann)
    const speaker = await world.turns.speaker(lease.houseId, ann)
    expect(speaker).toMatchObject({ id: ann, name: 'ann', handle: 'ann', toolsAllow: null })
    const nobody = world.turns.speaker(lease.houseId, toActorId('agt_nobody'))
    await expect(nobody).rejects.toThrow('speaker agt_nobody is no agent')
  })
}
