import type { ThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { LeaseLost } from '../../packages/core/threads/turn.ts'
import {
  LEASE_MS,
  ann,
  assistant,
  call,
  coder,
  draftFor,
  isDue,
  isWithin,
  ok,
  reply,
  textOf,
  stepsIn,
  type Steps,
  type Decided,
} from './steps.ts'
import type { DirectorWorld } from './world.ts'

/** Who holds a thread, what a lost lease may still do, and when a thread is let go. */
export function leaseSuite(open: () => Promise<DirectorWorld>): void {
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    world = await open()
    steps = stepsIn(world)
  })

  describe('claim', () => {
    test('[D12][R-13] of forty racing claimers of each of twenty threads one wins', async () => {
      const threads = await Promise.all(Array.from({ length: 20 }, () => world.newThread()))
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, n) => n).flatMap((n) =>
          threads.map(async (thread) => ({
            thread,
            claim: await world.store.claim(thread, { id: `w${n}`, leaseMs: 10 * LEASE_MS }),
          })),
        ),
      )
      const won = claims.filter(({ claim }) => claim.status === 'claimed')
      const fences = won.map(({ claim }) => claim.status === 'claimed' && claim.lease.fence)
      expect(won.map(({ thread }) => thread).toSorted()).toEqual(threads.toSorted())
      expect(new Set(fences).size).toBe(20)
    })

    test('[R-14] a thread that is gone fails its turn and takes its queue row with it', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.deleteThread(thread)
      await expect(assistant(world, lease, decision)).rejects.toThrow('gone')
      await expect(world.store.closeDecision(lease, decision, reply('hi'))).rejects.toThrow('gone')
      await world.store.backOff(lease, 'gone')
      await world.pass(thread)
      expect(await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })).toEqual({
        status: 'gone',
      })
      expect(await world.queueRow(thread)).toBe(undefined)
    })

    test('[L9] a busy thread is due when its lease lapses, and moves then, sweep off', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await steps.claim(thread)
      await world.wake(thread)
      const second = await world.store.claim(thread, { id: 'w2', leaseMs: LEASE_MS })
      const queued = await world.queueRow(thread)
      expect(second).toEqual({ status: 'busy' })
      expect(isWithin(queued?.waitMs, LEASE_MS)).toBe(true)
      await world.pass(thread)
      expect(await world.store.dueThreads(1_000)).toContain(thread)
      expect((await steps.claim(thread)).attempts).toBe(2)
    })

    test('[L9] a claim makes the thread due at the end of its lease, row or no row', async () => {
      const thread = await world.newThread()
      await steps.claim(thread)
      expect(isWithin((await world.queueRow(thread))?.waitMs, LEASE_MS)).toBe(true)
    })

    test('a thread that backs off stays away until then, whoever wakes it', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await world.store.backOff(await steps.claim(thread), 'no model')
      await world.say(thread)
      const refused = await world.store.claim(thread, { id: 'w2', leaseMs: LEASE_MS })
      expect(refused).toEqual({ status: 'busy' })
      expect(isWithin((await world.queueRow(thread))?.waitMs, 1_000)).toBe(true)
      await world.pass(thread)
      await world.store.backOff(await steps.claim(thread), 'no model')
      expect(isWithin((await world.queueRow(thread))?.waitMs, 2_000)).toBe(true)
    })

    test('[P-13] each failure waits longer than the one before, from a second to five minutes', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]) {
        await world.store.backOff(await steps.claim(thread), 'no model')
        expect(isWithin((await world.queueRow(thread))?.waitMs, seconds * 1_000)).toBe(true)
        await world.pass(thread)
      }
    })

    test('handing back makes the thread due at once and counts as no attempt', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await world.store.handBack(await steps.claim(thread))
      expect(isDue(await world.queueRow(thread))).toBe(true)
      expect((await steps.claim(thread)).attempts).toBe(1)
    })
  })

  describe('fence', () => {
    type Write = (held: Decided) => Promise<unknown>
    const writes: readonly (readonly [string, Write])[] = [
      ['renew', ({ lease }) => world.store.renew(lease, LEASE_MS)],
      ['close', ({ lease, decision }) => world.store.closeDecision(lease, decision, reply('late'))],
      ['release', ({ lease, capture }) => world.store.releaseIfQuiet(lease, capture.rev)],
      [
        'decision',
        ({ lease, capture }) =>
          world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, coder)),
      ],
      [
        'decision and release',
        ({ lease, capture }) =>
          world.store.storeAndRelease(lease, capture, draftFor(capture, null)),
      ],
      ['hand back', ({ lease }) => world.store.handBack(lease)],
      ['back off', ({ lease }) => world.store.backOff(lease, 'late')],
      ['assistant', ({ lease, decision }) => assistant(world, lease, decision)],
      [
        'tool result',
        ({ lease, decision }) => world.turnWrites(lease, decision).toolResult(call, ok),
      ],
      [
        'tool effect',
        ({ lease, decision }) =>
          world.turnWrites(lease, decision).toolEffect(call, async () => {
            throw new Error('the effect ran')
          }),
      ],
    ]
    const refusals: Readonly<Record<string, unknown>> = {
      renew: false,
      release: 'lease_lost',
      close: { status: 'lease_lost' },
      decision: { status: 'lease_lost' },
      'decision and release': { status: 'lease_lost' },
    }

    test.each(writes)('[I4][R-22] a stale fence is refused: %s', async (name, write) => {
      const held = await steps.decided(ann)
      await world.pass(held.thread)
      const later = await steps.claim(held.thread)
      const before = [await world.entries(held.thread), await world.row(held.thread)]
      const answer = await write(held).catch((error: unknown) =>
        error instanceof LeaseLost ? 'lost' : error,
      )
      expect(answer).toEqual(
        refusals[name] ?? (name.includes(' ba') || name.includes(' off') ? undefined : 'lost'),
      )
      expect([await world.entries(held.thread), await world.row(held.thread)]).toEqual(before)
      expect(later.fence).toBeGreaterThan(held.lease.fence)
    })

    test('[I4] a lease that has lapsed writes nothing, even if nobody else took it', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.pass(thread)
      expect(await world.store.closeDecision(lease, decision, reply('late'))).toEqual({
        status: 'lease_lost',
      })
      expect(await world.store.renew(lease, LEASE_MS)).toBe(false)
      await expect(assistant(world, lease, decision)).rejects.toThrow(LeaseLost)
    })

    test('[D10] a renewed lease holds', async () => {
      const { thread, lease } = await steps.decided(ann)
      expect(await world.store.renew(lease, LEASE_MS)).toBe(true)
      expect((await world.row(thread)).held).toBe(true)
    })
  })

  describe('release', () => {
    test('a quiet thread is let go and its queue row with it', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('released')
      expect(await world.queueRow(thread)).toBe(undefined)
      expect(await world.row(thread)).toMatchObject({ held: false, attempts: 0 })
    })

    test('[D14][I7] a message between the last look and the release keeps thread and row', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.say(thread, { text: 'late' })
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
      expect((await world.store.capture(lease)).unread.map(textOf)).toEqual(['late'])
      expect(await world.queueRow(thread)).toBeDefined()
    })

    test('[D14] a wake without a message counts as much: a limit was raised', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.wake(thread)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
    })

    test('[L11] a queue row that died and was born again is not mistaken for the old one', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.dropQueueRow(thread)
      await world.wake(thread)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
    })

    test('a decision after which the thread rests lets it go in one', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      const draft = draftFor(capture, null)
      const decision = { ...draft, d: 1, fence: lease.fence }
      expect(await world.store.storeAndRelease(lease, capture, draft)).toEqual({
        status: 'released',
        decision,
        seq: 2,
      })
      expect(await world.queueRow(thread)).toBe(undefined)
      expect(await world.row(thread)).toEqual({
        decidedOffset: 1,
        d: 1,
        attempts: 0,
        held: false,
        lastDecision: decision,
      })
      expect((await steps.claim(thread)).attempts).toBe(1)
    })

    const wakings: readonly (readonly [string, (thread: ThreadId) => Promise<unknown>])[] = [
      ['a message', (thread) => world.say(thread, { text: 'late' })],
      ['a wake without a message', (thread) => world.wake(thread)],
      [
        'a queue row born again',
        async (thread) => {
          await world.dropQueueRow(thread)
          await world.wake(thread)
        },
      ],
    ]
    test.each(wakings)(
      '[D14][L11] %s between the capture and the decision that would let the thread go keeps it',
      async (_name, waking) => {
        const { thread, lease, capture } = await steps.claimedWith('hello')
        await waking(thread)
        const draft = draftFor(capture, null)
        const stored = await world.store.storeAndRelease(lease, capture, draft)
        expect(stored).toMatchObject({ status: 'stored', decision: { d: 1, to: 1 } })
        expect(await world.row(thread)).toMatchObject({ held: true, decidedOffset: 1 })
        expect(await world.queueRow(thread)).toBeDefined()
        const next = await world.store.capture(lease)
        expect(await world.store.releaseIfQuiet(lease, next.rev)).toBe(
          next.unread.length === 0 ? 'released' : 'more',
        )
      },
    )

    test('[L15] a change of the roster before it makes such a decision stale', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await world.mute(thread, ann)
      const draft = draftFor(capture, null)
      expect(await world.store.storeAndRelease(lease, capture, draft)).toEqual({ status: 'stale' })
      expect((await world.row(thread)).held).toBe(true)
    })

    test('a decision with a speaker lets nothing go', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      const stored = await world.store.storeAndRelease(lease, capture, draftFor(capture, ann))
      expect(stored.status).toBe('stored')
      expect((await world.row(thread)).held).toBe(true)
    })

    test('[D14] a message after the release makes the thread due', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      await world.store.releaseIfQuiet(lease, (await world.store.capture(lease)).rev)
      await world.say(thread, { text: 'late' })
      expect(isDue(await world.queueRow(thread))).toBe(true)
    })

    test('a reply makes nobody else look before the lease of its holder ends', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
      await world.store.closeDecision(lease, decision, reply('hi'))
      expect(isWithin((await world.queueRow(thread))?.waitMs, LEASE_MS)).toBe(true)
    })

    test('[D13] a turn for an older debt is found by the sweep though nothing is unread', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      await steps.stored(lease, await world.store.capture(lease), ann)
      await world.dropQueueRow(thread)
      await world.store.sweep()
      expect(isDue(await world.queueRow(thread))).toBe(true)
    })

    test('[D13] a thread whose wake got lost is woken by the sweep, once', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await world.dropQueueRow(thread)
      expect(await world.store.sweep()).toBe(1)
      expect(isDue(await world.queueRow(thread))).toBe(true)
      expect(await world.store.sweep()).toBe(0)
    })
  })
}
