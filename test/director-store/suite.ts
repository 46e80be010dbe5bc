import { toActorId, toOffset, type ActorId, type DecisionBody, type ThreadId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type {
  Capture,
  Closing,
  DecisionDraft,
  Lease,
  StoreDecision,
} from '../../packages/core/thread-director/thread-director-port.ts'
import { LeaseLost, type ToolCallPlace, type TurnResult } from '../../packages/core/threads/turn.ts'
import type { DirectorWorld } from './world.ts'

export const ann = toActorId('agt_ann')
export const coder = toActorId('agt_coder')
const mia = toActorId('usr_mia')
const LEASE_MS = 12_000

/** What every engine of the director's store keeps. */
export function directorStoreSuite(open: () => Promise<DirectorWorld>): void {
  let world: DirectorWorld
  beforeAll(async () => {
    world = await open()
  })

  describe('claim', () => {
    test('[D12][R-13] of forty racing claimers of each of twenty threads one wins', async () => {
      const threads = await Promise.all(Array.from({ length: 20 }, () => world.newThread()))
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, n) => n).flatMap((n) =>
          threads.map(async (thread) => ({
            thread,
            claim: await world.store.claim(thread, { id: `w${n}`, leaseMs: LEASE_MS }),
          })),
        ),
      )
      const won = claims.filter(({ claim }) => claim.status === 'claimed')
      const fences = won.map(({ claim }) => claim.status === 'claimed' && claim.lease.fence)
      expect(won.map(({ thread }) => thread).toSorted()).toEqual(threads.toSorted())
      expect(new Set(fences).size).toBe(20)
    })

    test('a thread that is gone takes its queue row with it', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await claim(thread)
      await world.deleteThread(thread)
      await world.pass(thread)
      expect(await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })).toEqual({
        status: 'gone',
      })
      expect(await world.queueRow(thread)).toBe(undefined)
    })

    test('[L9] a busy thread is due when its lease lapses, and moves then, sweep off', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await claim(thread)
      await world.wake(thread)
      const second = await world.store.claim(thread, { id: 'w2', leaseMs: LEASE_MS })
      const queued = await world.queueRow(thread)
      expect(second).toEqual({ status: 'busy' })
      expect(isWithin(queued?.waitMs, LEASE_MS)).toBe(true)
      await world.pass(thread)
      expect(await world.store.dueThreads(1_000)).toContain(thread)
      expect((await claim(thread)).attempts).toBe(2)
    })

    test('[L9] a claim makes the thread due at the end of its lease, row or no row', async () => {
      const thread = await world.newThread()
      await claim(thread)
      expect(isWithin((await world.queueRow(thread))?.waitMs, LEASE_MS)).toBe(true)
    })

    test('a thread that backs off stays away until then, whoever wakes it', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await world.store.backOff(await claim(thread), 'no model')
      await world.say(thread)
      const refused = await world.store.claim(thread, { id: 'w2', leaseMs: LEASE_MS })
      expect(refused).toEqual({ status: 'busy' })
      expect(isWithin((await world.queueRow(thread))?.waitMs, 1_000)).toBe(true)
      await world.pass(thread)
      await world.store.backOff(await claim(thread), 'no model')
      expect(isWithin((await world.queueRow(thread))?.waitMs, 2_000)).toBe(true)
    })

    test('handing back makes the thread due at once and counts as no attempt', async () => {
      const thread = await world.newThread()
      await world.say(thread)
      await world.store.handBack(await claim(thread))
      expect(isDue(await world.queueRow(thread))).toBe(true)
      expect((await claim(thread)).attempts).toBe(1)
    })
  })

  describe('capture', () => {
    test('what comes after the capture is in no part of it', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread, { text: 'one' })
      const capture = await world.store.capture(await claim(thread))
      await world.say(thread, { text: 'two' })
      expect([capture.seen, capture.unread.map(textOf), capture.tail.map(textOf)]).toEqual([
        first,
        ['one'],
        ['one'],
      ])
    })

    test('the unread are at most a hundred, oldest first, and it says that more wait', async () => {
      const thread = await world.newThread()
      for (let n = 0; n < 105; n += 1) await world.say(thread, { text: String(n) })
      const { unread, more, tail } = await world.store.capture(await claim(thread))
      expect(unread.map(textOf)).toEqual(Array.from({ length: 100 }, (_, n) => String(n)))
      expect(more).toBe(true)
      expect(tail.map(textOf)).toEqual(Array.from({ length: 105 }, (_, n) => String(n)))
    })

    test('[L12] an imported text is context and no unread entry', async () => {
      const thread = await world.newThread()
      await world.say(thread, { text: 'old', wakes: false })
      const { unread, tail } = await world.store.capture(await claim(thread))
      expect([unread.map(textOf), tail.map(textOf)]).toEqual([[], ['old']])
    })

    test('[I12] the tail is bounded, and holds what an unread entry replies to all the same', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread, { text: 'first', wakes: false })
      for (let n = 0; n < 70; n += 1) await world.say(thread, { text: 'x', wakes: false })
      await world.say(thread, { text: 'reply', replyTo: first })
      const { tail } = await world.store.capture(await claim(thread))
      expect([tail.length, tail.map(textOf)[0], tail.map(textOf).at(-1)]).toEqual([
        61,
        'first',
        'reply',
      ])
    })

    test('[E13] a deletion past the decided offset is in the tail, however much came after', async () => {
      const thread = await world.newThread()
      const target = await world.say(thread, { text: 'secret' })
      const deletion = await world.change(thread, { kind: 'chat.delete', target })
      for (let n = 0; n < 70; n += 1) await world.say(thread, { text: 'x', wakes: false })
      const { tail } = await world.store.capture(await claim(thread))
      expect(tail.map(({ seq }) => seq).slice(0, 2)).toEqual([target, deletion])
    })

    test('a muted bot and a person are in the roster; a bot that left is not', async () => {
      const thread = await world.newThread()
      await world.mute(thread, ann)
      await world.removeBot(thread, coder)
      const { bots, people } = await world.store.capture(await claim(thread))
      expect(bots.map(({ id, mode, muted }) => ({ id, mode, muted }))).toEqual([
        { id: ann, mode: 'auto', muted: true },
      ])
      expect(people).toEqual([{ id: mia, name: 'Mia', handle: 'mia' }])
    })
  })

  describe('decisions', () => {
    test('[I1] a decision without a speaker closes its range at once', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const next = await world.store.capture(lease)
      expect([next.decidedOffset, next.d, next.unread, next.lastOutcome]).toEqual([
        1,
        2,
        [],
        undefined,
      ])
      expect((await world.row(thread)).attempts).toBe(0)
    })

    test('a decision with a speaker leaves the range open and counts as the first attempt', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await world.pass(thread)
      const again = await claim(thread)
      const { decision } = await stored(again, capture, ann)
      expect([lease.attempts, again.attempts]).toEqual([1, 2])
      expect(await world.row(thread)).toEqual({
        decidedOffset: 0,
        d: 1,
        attempts: 1,
        held: true,
        lastDecision: decision,
      })
    })

    test('the same decision stored again is the one that is there', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      const draft = draftFor(capture, ann)
      const first = await world.store.storeDecision(lease, capture.rosterVersion, draft)
      const second = await world.store.storeDecision(lease, capture.rosterVersion, draft)
      expect(second).toEqual(first)
      expect(await kindsIn(thread)).toEqual(['chat', 'signal.thread_director.decision'])
    })

    const changes: readonly (readonly [string, (thread: ThreadId) => Promise<void>])[] = [
      ['a mute', (thread) => world.mute(thread, ann)],
      ['a mode', (thread) => world.setMode(thread, ann)],
      ['a limit', (thread) => world.setLimit(thread)],
      ['a bot that leaves', (thread) => world.removeBot(thread, ann)],
    ]
    test.each(changes)(
      '[L15][D17] %s between capture and storing makes the decision stale',
      async (_name, change) => {
        const { thread, lease, capture } = await claimedWith('hello')
        await change(thread)
        expect(
          await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
        ).toEqual({ status: 'stale' })
        expect(await kindsIn(thread)).toEqual(['chat'])
        const { rosterVersion } = await world.store.capture(lease)
        expect(
          await world.store.storeDecision(lease, rosterVersion, draftFor(capture, coder)),
        ).toMatchObject({ status: 'stored' })
      },
    )

    test('a new title makes no decision stale', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await world.rename(thread)
      expect(
        await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
      ).toMatchObject({ status: 'stored' })
    })

    test('[I1] a decision that does not begin where the last range ended is stale', async () => {
      const { lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const late = { ...draftFor(capture, ann), ms: 7 }
      expect(await world.store.storeDecision(lease, capture.rosterVersion, late)).toEqual({
        status: 'stale',
      })
    })

    test('[L8] a key that looks like the director’s is a member’s own', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await world.say(thread, { text: 'decision:1' })
      await stored(lease, capture, ann)
      expect((await world.entries(thread)).map(({ key }) => key.split(':')[0])).toEqual([
        'pat',
        'pat',
        'arbe',
      ])
    })
  })

  describe('close', () => {
    test('[I3] reply, outcome, progress and wake come together', async () => {
      const { thread, lease, decision } = await decided(ann)
      const before = await world.queueRow(thread)
      const closed = await world.store.closeDecision(lease, decision, reply('hi'))
      const [, , chat, outcome] = await world.entries(thread)
      expect(closed).toEqual({
        status: 'closed',
        outcome: { ...figures, d: 1, closes: true, status: 'replied', reply: 3, voided: [] },
      })
      expect(chat).toMatchObject({
        kind: 'chat',
        key: 'arbe:reply:1',
        authorId: ann,
        authorKind: 'bot',
        wakes: true,
        readable: true,
        causedBy: 1,
        hops: 0,
        body: { text: 'hi', mentions: [], everyone: false },
      })
      expect(outcome).toMatchObject({
        kind: 'signal.thread_director.outcome',
        authorKind: 'director',
        wakes: false,
        readable: false,
        body: closed.status === 'closed' ? closed.outcome : undefined,
      })
      expect((await world.row(thread)).decidedOffset).toBe(1)
      expect((await world.queueRow(thread))?.rev).not.toBe(before?.rev)
      expect((await world.store.capture(lease)).unread.map(textOf)).toEqual(['hi'])
    })

    test('[I3][R-35] closing twice writes once and answers the same, for a later holder too', async () => {
      const { thread, lease, decision } = await decided(ann)
      const first = await world.store.closeDecision(lease, decision, reply('hi'))
      const second = await world.store.closeDecision(lease, decision, reply('hi'))
      await world.pass(thread)
      const third = await world.store.closeDecision(await claim(thread), decision, reply('other'))
      expect([second, third]).toEqual([first, first])
      expect((await kindsIn(thread)).length).toBe(4)
    })

    test('[I1] a pass leaves the range to another decision', async () => {
      const { lease, decision, capture } = await decided(ann)
      await world.store.closeDecision(lease, decision, {
        result: { ...figures, status: 'passed' },
        closing: { closes: false, reply: undefined, voided: [] },
      })
      const next = await world.store.capture(lease)
      expect([next.decidedOffset, next.d, next.lastOutcome?.status]).toEqual([0, 2, 'passed'])
      const again = await stored(lease, { ...next, rosterVersion: capture.rosterVersion }, coder)
      await world.store.closeDecision(lease, again.decision, reply('hi'))
      expect((await world.store.capture(lease)).decidedOffset).toBe(1)
    })

    test('[I1] closing ranges tile the stream and the decided offset never goes back', async () => {
      const thread = await world.newThread()
      const offsets: number[] = []
      for (const speaker of [null, ann, null, coder]) {
        await world.say(thread)
        const lease = await claim(thread)
        const { decision } = await stored(lease, await world.store.capture(lease), speaker)
        if (speaker !== null) await world.store.closeDecision(lease, decision, reply('hi'))
        offsets.push((await world.row(thread)).decidedOffset)
        await world.pass(thread)
      }
      const ranges = (await world.entries(thread)).flatMap((entry) =>
        entry.kind === 'signal.thread_director.decision' ? [[entry.body.from, entry.body.to]] : [],
      )
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
      expect(ranges.map(([from]) => from)).toEqual([0, ...ranges.slice(0, -1).map(([, to]) => to)])
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
    }

    test.each(writes)('[I4][R-22] a stale fence is refused: %s', async (name, write) => {
      const held = await decided(ann)
      await world.pass(held.thread)
      const later = await claim(held.thread)
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
      const { thread, lease, decision } = await decided(ann)
      await world.pass(thread)
      expect(await world.store.closeDecision(lease, decision, reply('late'))).toEqual({
        status: 'lease_lost',
      })
      expect(await world.store.renew(lease, LEASE_MS)).toBe(false)
      await expect(assistant(world, lease, decision)).rejects.toThrow(LeaseLost)
    })

    test('[D10] a renewed lease holds', async () => {
      const { thread, lease } = await decided(ann)
      expect(await world.store.renew(lease, LEASE_MS)).toBe(true)
      expect((await world.row(thread)).held).toBe(true)
    })
  })

  describe('release', () => {
    test('a quiet thread is let go and its queue row with it', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('released')
      expect(await world.queueRow(thread)).toBe(undefined)
      expect(await world.row(thread)).toMatchObject({ held: false, attempts: 0 })
    })

    test('[D14][I7] a message between the last look and the release keeps thread and row', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.say(thread, { text: 'late' })
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
      expect((await world.store.capture(lease)).unread.map(textOf)).toEqual(['late'])
      expect(await world.queueRow(thread)).toBeDefined()
    })

    test('[D14] a wake without a message counts as much: a limit was raised', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.wake(thread)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
    })

    test('[L11] a queue row that died and was born again is not mistaken for the old one', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const { rev } = await world.store.capture(lease)
      await world.dropQueueRow(thread)
      await world.wake(thread)
      expect(await world.store.releaseIfQuiet(lease, rev)).toBe('more')
    })

    test('[D14] a message after the release makes the thread due', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      await world.store.releaseIfQuiet(lease, (await world.store.capture(lease)).rev)
      await world.say(thread, { text: 'late' })
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

  describe('stop', () => {
    const order = (threadId: ThreadId, key = 'ses:usr_mia:stop') => ({
      threadId,
      authorId: mia,
      key,
    })

    test('[L7] a turn is cancelled, what it owed is void, and what came later is due', async () => {
      const { thread, lease, decision } = await decided(ann)
      await world.say(thread, { text: 'later' })
      expect(await world.store.stop(order(thread))).toEqual({ status: 'stopped', decision: 1 })
      const kinds = await kindsIn(thread)
      expect(kinds.slice(-2)).toEqual(['thread.stop', 'signal.thread_director.outcome'])
      expect(await world.store.closeDecision(lease, decision, reply('late'))).toEqual({
        status: 'lease_lost',
      })
      expect(isDue(await world.queueRow(thread))).toBe(true)
      const next = await world.store.capture(await claim(thread))
      expect(next.unread.map(textOf)).toEqual(['later'])
      expect(next.lastOutcome).toMatchObject({
        status: 'cancelled',
        closes: true,
        voided: [
          { bot: ann, entry: 1, why: 'stopped' },
          { bot: coder, entry: 1, why: 'stopped' },
        ],
      })
    })

    test('[L16][F5] before anything is decided nobody speaks for all that waits', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await world.say(thread, { text: 'more' })
      expect(await world.store.stop(order(thread))).toEqual({
        status: 'stopped',
        decision: undefined,
      })
      expect(
        await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
      ).toEqual({ status: 'lease_lost' })
      const next = await world.store.capture(await claim(thread))
      expect([next.unread, next.decidedOffset, next.lastDecision]).toEqual([
        [],
        2,
        expect.objectContaining({ speaker: null, rule: 'stopped', from: 0, to: 2, seen: 2 }),
      ])
    })

    test('[L16] older debts up to the stop are void', async () => {
      const { thread, lease, decision } = await decided(ann)
      await world.store.closeDecision(lease, decision, reply('hi'))
      await world.store.stop(order(thread))
      expect((await world.row(thread)).lastDecision).toMatchObject({
        rule: 'stopped',
        requests: [],
        voided: [{ bot: coder, entry: 1, why: 'stopped' }],
      })
    })

    test('[F9] a quiet thread has nothing to stop, and its holder keeps it', async () => {
      const { thread, lease, capture } = await claimedWith('hello')
      await stored(lease, capture, null)
      const before = await world.entries(thread)
      expect(await world.store.stop(order(thread))).toEqual({ status: 'idle' })
      expect(await world.entries(thread)).toEqual(before)
      expect(await world.store.renew(lease, LEASE_MS)).toBe(true)
    })

    test('the same stop sent twice stops once', async () => {
      const { thread } = await decided(ann)
      await world.store.stop(order(thread))
      await world.say(thread, { text: 'later' })
      const again = await world.store.stop(order(thread))
      expect(again).toEqual({ status: 'stopped', decision: 1 })
      expect((await world.store.capture(await claim(thread))).unread.map(textOf)).toEqual(['later'])
    })

    test('a thread that is gone cannot be stopped', async () => {
      const thread = await world.newThread()
      await world.deleteThread(thread)
      expect(await world.store.stop(order(thread))).toEqual({ status: 'gone' })
    })
  })

  describe('rebuilding', () => {
    const states: readonly (readonly [string, () => Promise<{ readonly thread: ThreadId }>])[] = [
      ['nothing is decided', () => claimedWith('hello')],
      ['nobody was chosen', () => decided(null)],
      ['a turn runs', () => decided(ann)],
      [
        'a turn was closed',
        async () => {
          const held = await decided(ann)
          await world.store.closeDecision(held.lease, held.decision, reply('hi'))
          return held
        },
      ],
      [
        'a bot passed',
        async () => {
          const held = await decided(ann)
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
      const before = comparable(await world.store.capture(await claim(thread)))
      await world.dropRow(thread)
      const after = comparable(await world.store.capture(await claim(thread)))
      expect(after).toEqual(before)
    })

    test('[I4] a fence from before the drop is no fence after it', async () => {
      const { thread, lease, decision } = await decided(ann)
      await world.dropRow(thread)
      const later = await claim(thread)
      expect(later.fence).toBeGreaterThan(lease.fence)
      await expect(assistant(world, lease, decision)).rejects.toThrow(LeaseLost)
    })
  })

  describe('a turn’s writes', () => {
    test('its entries come back in order, and nothing else does', async () => {
      const { lease, decision } = await decided(ann)
      const writes = world.turnWrites(lease, decision)
      await assistant(world, lease, decision)
      await writes.toolResult(call, ok)
      await world.store.closeDecision(lease, decision, reply('hi'))
      expect(
        (await world.store.turnEntries(lease, 1)).map(({ kind, causedBy, authorId }) => ({
          kind,
          causedBy,
          authorId,
        })),
      ).toEqual([
        { kind: 'pi.assistant', causedBy: 1, authorId: ann },
        { kind: 'pi.tool_result', causedBy: 1, authorId: ann },
      ])
    })

    test('[I8] the first result stored for a call stays', async () => {
      const { lease, decision } = await decided(ann)
      const writes = world.turnWrites(lease, decision)
      await writes.toolResult(call, ok)
      const second = await writes.toolResult(call, { ...ok, text: 'other' })
      const third = await writes.toolEffect(call, async () => ({ ...ok, text: 'third' }))
      expect([second, third]).toEqual([ok, ok])
    })

    test('[I8] an effect gets a key of its own and its result is stored with it', async () => {
      const { thread, lease, decision } = await decided(ann)
      const keys: string[] = []
      const writes = world.turnWrites(lease, decision)
      await writes.toolEffect(call, async (_tx, key) => {
        keys.push(key)
        return ok
      })
      await writes.toolEffect({ ...call, index: 1 }, async (_tx, key) => {
        keys.push(key)
        return ok
      })
      expect(keys).toEqual([`${thread}:1:0:0`, `${thread}:1:0:1`])
      expect((await world.store.turnEntries(lease, 1)).map(({ key }) => key)).toEqual([
        'arbe:tool:1:0:0',
        'arbe:tool:1:0:1',
      ])
    })

    test('[I10] they wake nobody', async () => {
      const { thread, lease, decision } = await decided(ann)
      const before = await world.queueRow(thread)
      await assistant(world, lease, decision)
      await world.turnWrites(lease, decision).toolResult(call, ok)
      expect((await world.queueRow(thread))?.rev).toBe(before?.rev)
    })
  })

  async function claim(thread: ThreadId): Promise<Lease> {
    // Time does not pass by itself here: a holder that is still there has died.
    let claimed = await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })
    if (claimed.status === 'busy') {
      await world.pass(thread)
      claimed = await world.store.claim(thread, { id: 'w', leaseMs: LEASE_MS })
    }
    if (claimed.status !== 'claimed') throw new Error(claimed.status)
    return claimed.lease
  }

  interface Claimed {
    readonly thread: ThreadId
    readonly lease: Lease
    readonly capture: Capture
  }

  async function claimedWith(text: string): Promise<Claimed> {
    const thread = await world.newThread()
    await world.say(thread, { text })
    const lease = await claim(thread)
    return { thread, lease, capture: await world.store.capture(lease) }
  }

  interface Decided extends Claimed {
    readonly decision: DecisionBody
  }

  async function decided(speaker: ActorId | null): Promise<Decided> {
    const held = await claimedWith('hello')
    const { decision } = await stored(held.lease, held.capture, speaker)
    return { ...held, decision }
  }

  async function stored(
    lease: Lease,
    capture: Capture,
    speaker: ActorId | null,
  ): Promise<Extract<StoreDecision, { status: 'stored' }>> {
    const draft = draftFor(capture, speaker)
    const answer = await world.store.storeDecision(lease, capture.rosterVersion, draft)
    if (answer.status !== 'stored') throw new Error(answer.status)
    return answer
  }

  async function kindsIn(thread: ThreadId): Promise<readonly string[]> {
    return (await world.entries(thread)).map(({ kind }) => kind)
  }
}

/** Both bots are owed a turn by the first unread entry. */
export function draftFor(capture: Capture, speaker: ActorId | null): DecisionDraft {
  const from = capture.decidedOffset
  const to = capture.unread.at(-1)?.seq ?? from
  const entry = capture.unread[0]?.seq ?? toOffset(0)
  const request = { entry, by: 'mention', person: true, hops: 0 } as const
  return {
    from,
    to,
    seen: capture.seen,
    kind: 'free',
    rule: speaker === null ? 'to_people' : 'mention',
    speaker,
    candidates: [],
    requests:
      speaker === null
        ? []
        : [
            { ...request, bot: ann },
            { ...request, bot: coder },
          ],
    voided: [],
    turnsSincePerson: [],
    passedBy: [],
    paidCalls: 0,
    about: [],
    cost: 0,
    hops: 0,
    ms: 1,
  }
}

const figures = {
  rounds: 1,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  cost: 0.25,
  ms: 5,
}

export function reply(text: string): { readonly result: TurnResult; readonly closing: Closing } {
  return {
    result: { ...figures, status: 'replied', text },
    closing: {
      closes: true,
      reply: { text, mentions: [], assistant: undefined, hops: 0 },
      voided: [],
    },
  }
}

const call: ToolCallPlace = { round: 0, index: 0, callId: '', tool: 'read_file' }
const ok = { text: 'done', isError: false, ms: 3 }

function assistant(world: DirectorWorld, lease: Lease, decision: DecisionBody): Promise<unknown> {
  return world.turnWrites(lease, decision).assistant({
    round: 0,
    message: { role: 'assistant', content: [{ type: 'text', text: 'thinking' }] },
    ms: 4,
  })
}

function textOf(entry: { readonly kind: string; readonly body: object }): unknown {
  return 'text' in entry.body ? entry.body.text : entry.kind
}

function isWithin(waitMs: number | undefined, most: number): boolean {
  return waitMs !== undefined && waitMs > most - 900 && waitMs <= most
}

function isDue(row: { readonly waitMs: number } | undefined): boolean {
  return row !== undefined && row.waitMs <= 0
}

function comparable({ now: _, rev: __, ...rest }: Capture): object {
  return rest
}
