import type { ThreadId } from '@arbe/sdk'
import type { Capture } from '../../packages/core/thread-director/thread-director-port.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ann,
  assistant,
  call,
  coder,
  draftFor,
  figures,
  mia,
  ok,
  reply,
  textOf,
  stepsIn,
  type Steps,
} from './steps.ts'
import type { DirectorWorld } from './world.ts'

/** What a pass reads and writes. */
export function decisionSuite(open: () => Promise<DirectorWorld>): void {
  let world: DirectorWorld
  let steps: Steps
  beforeAll(async () => {
    world = await open()
    steps = stepsIn(world)
  })

  describe('capture', () => {
    test('what comes after the capture is in no part of it', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread, { text: 'one' })
      const capture = await world.store.capture(await steps.claim(thread))
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
      const { unread, more, tail } = await world.store.capture(await steps.claim(thread))
      expect(unread.map(textOf)).toEqual(Array.from({ length: 100 }, (_, n) => String(n)))
      expect(more).toBe(true)
      expect(tail.map(textOf)).toEqual(Array.from({ length: 105 }, (_, n) => String(n)))
    })

    test('[L12] an imported text is context and no unread entry', async () => {
      const thread = await world.newThread()
      await world.say(thread, { text: 'old', wakes: false })
      const { unread, tail } = await world.store.capture(await steps.claim(thread))
      expect([unread.map(textOf), tail.map(textOf)]).toEqual([[], ['old']])
    })

    test('[I12] the tail is bounded, and holds what an unread entry replies to all the same', async () => {
      const thread = await world.newThread()
      const first = await world.say(thread, { text: 'first', wakes: false })
      for (let n = 0; n < 70; n += 1) await world.say(thread, { text: 'x', wakes: false })
      await world.say(thread, { text: 'reply', replyTo: first })
      const { tail } = await world.store.capture(await steps.claim(thread))
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
      const { tail } = await world.store.capture(await steps.claim(thread))
      expect(tail.map(({ seq }) => seq).slice(0, 2)).toEqual([target, deletion])
    })

    test('a muted bot and a person are in the roster; a bot that left is not', async () => {
      const thread = await world.newThread()
      await world.mute(thread, ann)
      await world.removeBot(thread, coder)
      const { bots, people } = await world.store.capture(await steps.claim(thread))
      expect(bots.map(({ id, mode, muted }) => ({ id, mode, muted }))).toEqual([
        { id: ann, mode: 'auto', muted: true },
      ])
      expect(people).toEqual([{ id: mia, name: 'Mia', handle: 'mia' }])
    })
  })

  describe('decisions', () => {
    test('[I1] a decision without a speaker closes its range at once', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
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
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await world.pass(thread)
      const again = await steps.claim(thread)
      const { decision } = await steps.stored(again, capture, ann)
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
      const { thread, lease, capture } = await steps.claimedWith('hello')
      const draft = draftFor(capture, ann)
      const first = await world.store.storeDecision(lease, capture.rosterVersion, draft)
      const second = await world.store.storeDecision(lease, capture.rosterVersion, draft)
      expect(second).toEqual(first)
      expect(await steps.kindsIn(thread)).toEqual(['chat', 'signal.thread_director.decision'])
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
        const { thread, lease, capture } = await steps.claimedWith('hello')
        await change(thread)
        expect(
          await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
        ).toEqual({ status: 'stale' })
        expect(await steps.kindsIn(thread)).toEqual(['chat'])
        const { rosterVersion } = await world.store.capture(lease)
        expect(
          await world.store.storeDecision(lease, rosterVersion, draftFor(capture, coder)),
        ).toMatchObject({ status: 'stored' })
      },
    )

    test('a bot muted for a time is muted until then, and its return is a change like any other', async () => {
      const { thread, lease } = await steps.claimedWith('hello')
      await world.muteFor(thread, ann, 60_000)
      const during = await world.store.capture(lease)
      await world.muteFor(thread, ann, -1)
      const after = await world.store.capture(lease)
      const mutedIn = ({ bots, now }: Capture) =>
        bots.map(({ id, muted, mutedUntil }) => {
          const left = mutedUntil === null ? null : Math.sign(Date.parse(mutedUntil) - now)
          return { id, muted, left }
        })
      expect([mutedIn(during), mutedIn(after)]).toEqual([
        [
          { id: ann, muted: true, left: 1 },
          { id: coder, muted: false, left: null },
        ],
        [
          { id: ann, muted: false, left: -1 },
          { id: coder, muted: false, left: null },
        ],
      ])
      expect(
        await world.store.storeDecision(lease, during.rosterVersion, draftFor(during, coder)),
      ).toEqual({ status: 'stale' })
    })

    test('a new title makes no decision stale', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await world.rename(thread)
      expect(
        await world.store.storeDecision(lease, capture.rosterVersion, draftFor(capture, ann)),
      ).toMatchObject({ status: 'stored' })
    })

    test('[I1] a decision that does not begin where the last range ended is stale', async () => {
      const { lease, capture } = await steps.claimedWith('hello')
      await steps.stored(lease, capture, null)
      const late = { ...draftFor(capture, ann), ms: 7 }
      expect(await world.store.storeDecision(lease, capture.rosterVersion, late)).toEqual({
        status: 'stale',
      })
    })

    test('[L8] a member’s key that reads like the director’s touches nothing of the director', async () => {
      const { thread, lease, capture } = await steps.claimedWith('hello')
      await world.say(thread, { key: 'arbe:decision:1' })
      const { decision } = await steps.stored(lease, capture, ann)
      await world.say(thread, { key: 'arbe:outcome:1' })
      await world.store.closeDecision(lease, decision, reply('hi'))
      expect((await world.entries(thread)).map(({ key, kind }) => [key, kind]).slice(1)).toEqual([
        ['pat:usr_mia:arbe:decision:1', 'chat'],
        ['arbe:decision:1', 'signal.thread_director.decision'],
        ['pat:usr_mia:arbe:outcome:1', 'chat'],
        ['arbe:reply:1', 'chat'],
        ['arbe:outcome:1', 'signal.thread_director.outcome'],
      ])
    })
  })

  describe('close', () => {
    test('[I3] reply, outcome, progress and wake come together', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
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
      const { thread, lease, decision } = await steps.decided(ann)
      const first = await world.store.closeDecision(lease, decision, reply('hi'))
      const second = await world.store.closeDecision(lease, decision, reply('hi'))
      await world.pass(thread)
      const third = await world.store.closeDecision(
        await steps.claim(thread),
        decision,
        reply('other'),
      )
      expect([second, third]).toEqual([first, first])
      expect((await steps.kindsIn(thread)).length).toBe(4)
    })

    test('[I1] a pass leaves the range to another decision', async () => {
      const { lease, decision, capture } = await steps.decided(ann)
      await world.store.closeDecision(lease, decision, {
        result: { ...figures, status: 'passed' },
        closing: { closes: false, reply: undefined, voided: [] },
      })
      const next = await world.store.capture(lease)
      expect([next.decidedOffset, next.d, next.lastOutcome?.status]).toEqual([0, 2, 'passed'])
      const again = await steps.stored(
        lease,
        { ...next, rosterVersion: capture.rosterVersion },
        coder,
      )
      await world.store.closeDecision(lease, again.decision, reply('hi'))
      expect((await world.store.capture(lease)).decidedOffset).toBe(1)
    })

    test('[I1] closing ranges tile the stream and the decided offset never goes back', async () => {
      const thread = await world.newThread()
      const offsets: number[] = []
      for (const speaker of [null, ann, null, coder]) {
        await world.say(thread)
        const lease = await steps.claim(thread)
        const { decision } = await steps.stored(lease, await world.store.capture(lease), speaker)
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

  describe('a turn’s writes', () => {
    test('its entries come back in order, and nothing else does', async () => {
      const { lease, decision } = await steps.decided(ann)
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
      const { lease, decision } = await steps.decided(ann)
      const writes = world.turnWrites(lease, decision)
      await writes.toolResult(call, ok)
      const second = await writes.toolResult(call, { ...ok, text: 'other' })
      const third = await writes.toolEffect(call, async () => ({ ...ok, text: 'third' }))
      expect([second, third]).toEqual([ok, ok])
    })

    test('[I8] an effect gets a key of its own and its result is stored with it', async () => {
      const { thread, lease, decision } = await steps.decided(ann)
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
      const { thread, lease, decision } = await steps.decided(ann)
      const before = await world.queueRow(thread)
      await assistant(world, lease, decision)
      await world.turnWrites(lease, decision).toolResult(call, ok)
      expect((await world.queueRow(thread))?.rev).toBe(before?.rev)
    })
  })
}
