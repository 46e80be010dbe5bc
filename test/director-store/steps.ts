import { toActorId, toOffset, type ActorId, type DecisionBody, type ThreadId } from '@arbe/sdk'
import type {
  Capture,
  Closing,
  DecisionDraft,
  Lease,
  StoreDecision,
} from '../../packages/core/thread-director/thread-director-port.ts'
import type { ToolCallPlace, TurnResult } from '../../packages/core/threads/turn.ts'
import type { DirectorWorld } from './world.ts'

export const ann = toActorId('agt_ann')
export const coder = toActorId('agt_coder')
export const mia = toActorId('usr_mia')
export const LEASE_MS = 12_000

export interface Claimed {
  readonly thread: ThreadId
  readonly lease: Lease
  readonly capture: Capture
}

export interface Decided extends Claimed {
  readonly decision: DecisionBody
}

export type Steps = ReturnType<typeof stepsIn>

/** The ways into the states that the cases begin with. */
export function stepsIn(world: DirectorWorld) {
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

  async function claimedWith(text: string): Promise<Claimed> {
    const thread = await world.newThread()
    await world.say(thread, { text })
    const lease = await claim(thread)
    return { thread, lease, capture: await world.store.capture(lease) }
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

  return { claim, claimedWith, decided, stored, kindsIn }
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

export const figures = {
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
      reply: { text, named: { mentions: [], names: [] }, assistant: undefined, hops: 0 },
      voided: [],
    },
  }
}

export const call: ToolCallPlace = { round: 0, index: 0, callId: '', tool: 'read_file' }
export const ok = { text: 'done', isError: false, ms: 3 }

export function assistant(
  world: DirectorWorld,
  lease: Lease,
  decision: DecisionBody,
): Promise<unknown> {
  return world.turnWrites(lease, decision).assistant({
    round: 0,
    message: { role: 'assistant', content: [{ type: 'text', text: 'thinking' }] },
    ms: 4,
  })
}

export function textOf(entry: { readonly kind: string; readonly body: object }): unknown {
  return 'text' in entry.body ? entry.body.text : entry.kind
}

export function isWithin(waitMs: number | undefined, most: number): boolean {
  return waitMs !== undefined && waitMs > most - 900 && waitMs <= most
}

export function isDue(row: { readonly waitMs: number } | undefined): boolean {
  return row !== undefined && row.waitMs <= 0
}

export function comparable(capture: Capture): object {
  const { now: _, rev: __, ...rest } = capture
  return rest
}
