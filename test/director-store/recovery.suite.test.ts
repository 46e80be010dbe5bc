import type { ThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { LeaseLost } from '../../packages/core/threads/turn.ts'
import {
  LEASE_MS,
  ann,
  assistant,
  coder,
  comparable,
  draftFor,
  figures,
  isDue,
  mia,
  reply,
  textOf,
  stepsIn,
  type Steps,
} from './steps.ts'
import type { DirectorWorld } from './world.ts'

/** What comes after a stop and after the loss of a row. */
export function recoverySuite(open: () => Promise<DirectorWorld>): void {
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    world = await open()
    steps = stepsIn(world)
  })

  describe('stop', () => {
    const order = (threadId: ThreadId, key = 'ses:usr_mia:stop') => ({
      threadId,
      authorId: mia,
      key,
    })

    test('[L7] a turn is cancelled, what it owed is void, and what came later is due', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.say(thread, { text: 'later' })
      expect(await world.store.stop(order(thread))).toEqual({ status: 'stopped', decision: 1 })
      const kinds = await steps.kindsIn(thread)
      expect(kinds.slice(-2)).toEqual(['thread.stop', 'signal.thread_director.outcome'])
      expect(await world.store.closeDecision(lease, decision, reply('late'))).toEqual({
        status: 'lease_lost',
      })
      expect(isDue(await world.queueRow(thread))).toBe(true)
      const next = await world.store.capture(await steps.claim(thread))
      expect(next.unread.map(textOf)).toEqual(['later'])
      expect(next.lastOutcome).toMatchObject({
        status: 'cancelled',
        closes: true,
        voided: [{ bot: coder, entry: 1, why: 'stopped' }],
      })
    })

    test('[L16][F5] before anything is decided nobody speaks for all that waits', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await world.say(thread, { text: 'more' })
      expect(await world.store.stop(order(thread))).toEqual({
        status: 'stopped',
        decision: undefined,
      })
      expect(
        await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
      ).toEqual({ status: 'lease_lost' })
      const next = await world.store.capture(await steps.claim(thread))
      expect([next.unread, next.decidedOffset, next.lastDecision]).toEqual([
        [],
        2,
        expect.objectContaining({ speaker: null, rule: 'stopped', from: 0, to: 2, seen: 2 }),
      ])
    })

    test('[L16] what was asked and not yet decided is void, and the stop says so', async () => {
      const thread = await world.newThread()
      await world.say(thread, { mentions: [ann, coder] })
      await world.mute(thread, coder)
      await steps.claim(thread)
      await world.store.stop(order(thread))
      expect((await world.row(thread)).lastDecision).toMatchObject({
        rule: 'stopped',
        requests: [],
        voided: [
          { bot: coder, entry: 1, why: 'muted' },
          { bot: ann, entry: 1, why: 'stopped' },
        ],
      })
    })

    test('[L16] older debts up to the stop are void', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.store.closeDecision(lease, decision, reply('hi'))
      await world.store.stop(order(thread))
      expect((await world.row(thread)).lastDecision).toMatchObject({
        rule: 'stopped',
        requests: [],
        voided: [{ bot: coder, entry: 1, why: 'stopped' }],
      })
    })

    test('[L7] the stopped holder cannot make the thread wait, whatever it does last', async () => {
      const { thread, lease } = await steps.decided(ann)
      await world.store.stop(order(thread))
      await world.store.backOff(lease, 'stopped')
      expect(isDue(await world.queueRow(thread))).toBe(true)
      expect((await world.store.claim(thread, { id: 'w2', leaseMs: LEASE_MS })).status).toBe(
        'claimed',
      )
    })

    test('[F9] what waits for a person, as at a limit, is nothing to stop once nobody holds the thread', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      const { requests } = draftFor(capture, ann)
      const draft = { ...draftFor(capture, null), requests }
      await world.store.storeDecision(lease, capture.rosterVersion, draft)
      await world.store.releaseIfQuiet(lease, (await world.store.capture(lease)).rev)
      expect(await world.store.stop(order(thread))).toEqual({ status: 'idle' })
    })

    test('[F9] a quiet thread has nothing to stop, and its holder keeps it', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const before = await world.entries(thread)
      expect(await world.store.stop(order(thread))).toEqual({ status: 'idle' })
      expect(await world.entries(thread)).toEqual(before)
      expect(await world.store.renew(lease, LEASE_MS)).toBe(true)
    })

    test('the same stop sent twice stops once', async () => {
      const { thread } = await steps.decided(ann)
      await world.store.stop(order(thread))
      await world.say(thread, { text: 'later' })
      const again = await world.store.stop(order(thread))
      expect(again).toEqual({ status: 'stopped', decision: 1 })
      expect((await world.store.capture(await steps.claim(thread))).unread.map(textOf)).toEqual([
        'later',
      ])
    })

    test('a thread that is gone cannot be stopped', async () => {
      const thread = await world.newThread()
      await world.deleteThread(thread)
      expect(await world.store.stop(order(thread))).toEqual({ status: 'gone' })
    })
  })

  describe('rebuilding', () => {
    const states: readonly (readonly [string, () => Promise<{ readonly thread: ThreadId }>])[] = [
      ['nothing is decided', () => steps.claimedWith('hello')],
      ['nobody was chosen', () => steps.decided(null)],
      ['a turn runs', () => steps.decided(ann)],
      [
        'a turn was closed',
        async () => {
          const held = await steps.decided(ann)
          await world.store.closeDecision(held.lease, held.decision, reply('hi'))
          return held
        },
      ],
      [
        'a bot passed',
        async () => {
          const held = await steps.decided(ann)
          await world.store.closeDecision(held.lease, held.decision, {
            result: { ...figures, status: 'passed' },
            closing: { closes: false, reply: undefined, voided: [] },
          })
          return held
        },
      ],
    ]
    test.each(states)('[D9][I11] a row dropped while %s comes back equal', async (_name, reach) => {
      const { thread } = await reach()
      await world.pass(thread)
      const before = comparable(await world.store.capture(await steps.claim(thread)))
      await world.dropRow(thread)
      const after = comparable(await world.store.capture(await steps.claim(thread)))
      expect(after).toEqual(before)
    })

    test('[I4] a fence from before the drop is no fence after it', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.dropRow(thread)
      const later = await steps.claim(thread)
      expect(later.fence).toBeGreaterThan(lease.fence)
      await expect(assistant(world, lease, decision)).rejects.toThrow(LeaseLost)
    })
  })
}
