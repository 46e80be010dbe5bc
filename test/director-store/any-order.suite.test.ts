import { type DecisionBody, type ThreadId, toOffset } from '@arbe/sdk'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Closing, Lease } from '../../packages/core/thread-director/thread-director-port.ts'
import { LeaseLost, type TurnResult } from '../../packages/core/threads/turn.ts'
import { checkStream } from '../support/check-stream.ts'
import {
  ann,
  assistant,
  coder,
  comparable,
  draftFor,
  figures,
  LEASE_MS,
  mia,
  reply,
  stepsIn,
} from './steps.ts'
import type { DirectorWorld } from './world.ts'

/** What may happen to a thread, in any order; what makes no sense in a state is left out there. */
const operation = fc.constantFrom(
  ...(['say', 'say', 'ask', 'edit', 'delete', 'mute', 'import', 'wake', 'stop', 'sweep'] as const),
  ...(['claim', 'claim', 'die', 'decide', 'decide', 'nobody', 'round', 'close', 'close'] as const),
  ...(['pass by', 'release', 'hand back', 'back off', 'late write', 'forget'] as const),
)
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

/** Any sequence of operations: what all of them together keep. */
export function anyOrderSuite(open: () => Promise<DirectorWorld>, numRuns: number): void {
  let world: DirectorWorld
  beforeAll(async () => {
    world = await open()
  })

  const operations = fc.array(operation, { minLength: 5, maxLength: 30, size: 'max' })

  describe('in any order', () => {
    test('[P-1][I1][I4][I6] offsets are dense, ranges tile, and no stale holder writes', async () => {
      await fc.assert(
        fc.asyncProperty(operations, async (all) => {
          const play = await playIn(world)
          for (const one of all) await play.run(one)
          const entries = await world.entries(play.thread)
          expect([play.broken, checkStream(entries, { quiet: false })]).toEqual([[], []])
        }),
        { numRuns },
      )
    })

    test('[P-3][I11] whatever has happened, a row that is lost comes back from the stream', async () => {
      await fc.assert(
        fc.asyncProperty(operations, async (all) => {
          const play = await playIn(world)
          for (const one of all) await play.run(one)
          const lease = await play.claimAnew()
          const before = comparable(await world.store.capture(lease))
          await world.dropRow(play.thread)
          const again = comparable(await world.store.capture(await play.claimAnew()))
          expect(again).toEqual(before)
        }),
        { numRuns },
      )
    })
  })
}

/** One thread, with whoever holds it now and everybody who did. */
async function playIn(world: DirectorWorld) {
  const { store } = world
  const steps = stepsIn(world)
  const thread: ThreadId = await world.newThread()
  const broken: string[] = []
  const past: Lease[] = []
  let lease: Lease | undefined
  let running: DecisionBody | undefined
  let said = 0

  const lose = (): void => {
    if (lease !== undefined) past.push(lease)
    lease = undefined
  }

  async function claimAnew(): Promise<Lease> {
    lose()
    lease = await steps.claim(thread)
    const { lastDecision, lastOutcome } = await store.capture(lease)
    const isOpen = lastDecision?.speaker != null && lastOutcome === undefined
    running = isOpen ? lastDecision : undefined
    return lease
  }

  async function say(words: Parameters<DirectorWorld['say']>[1]): Promise<void> {
    const before = (await world.entries(thread)).length
    const seq = await world.say(thread, words)
    if (seq !== before + 1) broken.push(`I6: ${seq} came after ${before}`)
    said = seq
  }

  async function decide(speaker: typeof ann | null): Promise<void> {
    if (lease === undefined || running !== undefined) return
    let answer = await decideOn(lease, speaker)
    // The capture that came along with an earlier answer may be from before a mute.
    if (answer?.status === 'stale') answer = await decideOn(lease, speaker)
    if (answer !== undefined && answer.status !== 'stored')
      broken.push(`a decision is ${answer.status}`)
    if (answer?.status === 'stored' && speaker !== null) running = answer.decision
  }

  async function decideOn(by: Lease, speaker: typeof ann | null) {
    const capture = await store.capture(by)
    if (capture.unread.length === 0) return undefined
    return await store.storeDecision(by, capture.rosterVersion, draftFor(capture, speaker))
  }

  async function close(how: { readonly result: TurnResult; readonly closing: Closing }) {
    if (lease === undefined || running === undefined) return
    const hasRound = (await store.turnEntries(lease, running.d)).length > 0
    // A reply is what a round says.
    if (how.closing.reply !== undefined && !hasRound) await assistant(world, lease, running)
    const rounds = await store.turnEntries(lease, running.d)
    const reply = how.closing.reply && { ...how.closing.reply, assistant: rounds.at(-1)?.seq }
    const { status } = await store.closeDecision(lease, running, {
      ...how,
      closing: { ...how.closing, reply },
    })
    if (status !== 'closed') broken.push(`a close is ${status}`)
    running = undefined
  }

  /** With a fence that others have followed. */
  async function writeLate(): Promise<void> {
    const stale = past.at(-1)
    if (stale === undefined || lease === undefined) return
    const before = await world.entries(thread)
    const decision = running ?? (await store.capture(lease)).lastDecision
    if (decision === undefined || decision.speaker === null) return
    const answers = [
      await assistant(world, stale, decision).catch((error: unknown) =>
        error instanceof LeaseLost ? 'lease_lost' : String(error),
      ),
      (await store.closeDecision(stale, decision, reply('late'))).status,
      await store.releaseIfQuiet(stale, undefined),
    ]
    if (answers.some((answer) => answer !== 'lease_lost')) broken.push(`I4: ${answers.join()}`)
    await store.handBack(stale)
    await store.backOff(stale, 'late')
    if (!(await store.renew(lease, LEASE_MS))) broken.push('I4: a stale holder ended a lease')
    if ((await world.entries(thread)).length !== before.length) broken.push('I4: a late entry')
  }

  const operations: Readonly<Record<Operation, () => Promise<unknown>>> = {
    say: () => say({ text: 'hello' }),
    ask: () => say({ text: '@coder', mentions: [coder] }),
    import: () => say({ text: 'long ago', wakes: false }),
    edit: async () => said > 0 && world.change(thread, editOf(said)),
    delete: async () =>
      said > 0 && world.change(thread, { kind: 'chat.delete', target: editOf(said).target }),
    mute: () => world.muteFor(thread, coder, -1),
    wake: () => world.wake(thread),
    sweep: () => store.sweep(),
    stop: async () => {
      const { status } = await store.stop({ threadId: thread, authorId: mia, key: `ses:${said}` })
      if (status === 'stopped') lose()
      if (status === 'stopped') running = undefined
    },
    claim: () => claimAnew(),
    die: async () => lose(),
    decide: () => decide(ann),
    nobody: () => decide(null),
    round: async () =>
      lease !== undefined && running !== undefined && assistant(world, lease, running),
    close: () => close(reply('hi')),
    'pass by': () =>
      close({
        result: { ...figures, status: 'passed' },
        closing: { closes: false, reply: undefined, voided: [] },
      }),
    release: async () => {
      if (lease === undefined || running !== undefined) return
      const { rev, unread } = await store.capture(lease)
      if (unread.length > 0) return
      const answer = await store.releaseIfQuiet(lease, rev)
      if (answer === 'lease_lost') broken.push('a release is lease_lost')
      if (answer === 'released') lose()
    },
    'hand back': async () => {
      if (lease !== undefined) await store.handBack(lease)
      lose()
    },
    'back off': async () => {
      if (lease !== undefined) await store.backOff(lease, 'broken')
      lose()
    },
    'late write': writeLate,
    forget: async () => {
      if (lease !== undefined || past.length === 0) return
      await world.dropRow(thread)
    },
  }
  return { thread, broken, claimAnew, run: (one: Operation) => operations[one]() }
}

function editOf(seq: number) {
  return { kind: 'chat.edit', target: toOffset(seq), text: 'hello again' } as const
}
