import type { ActorId, Entry } from '@arbe/sdk'
import { MOST_HOPS } from '../../packages/core/threads/hops.ts'
import { checkTurns } from './check-turns.ts'
import { isClosed, ofKind, readTurns, type Turn } from './read-turns.ts'

export interface Acknowledged {
  readonly seq: number
  readonly text: string
}

export interface CheckOptions {
  /** Appends whose answer arrived: each must stand at its offset with its words. */
  readonly acknowledged?: readonly Acknowledged[]
  /** The thread has come to rest: nothing may be left undecided or without its outcome. */
  readonly quiet: boolean
  /** Every bot can be woken by a mention, so that what is asked of one has to show. */
  readonly asksAreHeard?: boolean
}

/**
 * Finds what a thread's stream breaks of the promises, from its entries alone; empty when it keeps them all. `entries` is the whole
 * stream in the order in which it was read. Modes are not in the stream: where a bot is
 * that a mention cannot wake, `asksAreHeard` is false.
 */
export function checkStream(entries: readonly Entry[], options: CheckOptions): readonly string[] {
  const turns = readTurns(entries)
  return [
    ...offsetsAreDense(entries),
    ...acknowledgedIsThere(entries, options.acknowledged ?? []),
    ...rangesTile(turns),
    ...(options.quiet ? allIsDecided(entries, turns) : []),
    ...(options.quiet && options.asksAreHeard !== false ? requestsEnd(entries, turns) : []),
    ...checkTurns(entries, turns, options.quiet),
    ...signalsAreSilent(entries),
  ]
}

function offsetsAreDense(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry, index) =>
    entry.seq === index + 1 ? [] : [`I6: entry ${index + 1} in order has the offset ${entry.seq}`],
  )
}

function acknowledgedIsThere(
  entries: readonly Entry[],
  acknowledged: readonly Acknowledged[],
): readonly string[] {
  return acknowledged.flatMap(({ seq, text }) => {
    const entry = entries[seq - 1]
    return entry?.kind === 'chat' && entry.body.text === text
      ? []
      : [`I5: the acknowledged "${text}" is not at ${seq}`]
  })
}

function rangesTile(turns: readonly Turn[]): readonly string[] {
  const found: string[] = []
  let reached = 0
  for (const [index, turn] of turns.entries()) {
    const { d, from, to, seen } = turn.decision
    if (d !== index + 1) found.push(`I11: decision ${index + 1} in order has the number ${d}`)
    if (from !== reached) found.push(`I1: decision ${d} begins at ${from}, not at ${reached}`)
    if (to < from || to > seen || seen >= turn.seq)
      found.push(`I1: decision ${d} at ${turn.seq} covers (${from}, ${to}] and saw ${seen}`)
    if (isClosed(turn)) reached = to
  }
  return found
}

function allIsDecided(entries: readonly Entry[], turns: readonly Turn[]): readonly string[] {
  const reached = turns.findLast(isClosed)?.decision.to ?? 0
  const last = entries.findLast(({ wakes }) => wakes)?.seq ?? 0
  return reached < last ? [`I1: ${last} wakes and nothing past ${reached} is decided`] : []
}

interface Asked {
  readonly seq: number
  readonly bot: ActorId
}

/** Who is asked for is given a turn, or it is said why not, or it is listed as waiting. */
function requestsEnd(entries: readonly Entry[], turns: readonly Turn[]): readonly string[] {
  const waiting = turns.at(-1)?.decision.requests ?? []
  const voided = turns.flatMap(({ decision, outcomes }) => [
    ...decision.voided,
    ...outcomes.flatMap(({ body }) => body.voided),
  ])
  return entries
    .flatMap(askedBy)
    .filter((asked) => !isTakenBack(entries, asked))
    .filter(({ seq, bot }) => {
      const isServed = turns.some(
        ({ decision, outcomes }) =>
          decision.speaker === bot && decision.to >= seq && outcomes.length > 0,
      )
      const isListed = [...voided, ...waiting].some((one) => one.bot === bot && one.entry === seq)
      // Nobody had read it yet, so nobody lists it: the decision's rule says it of all that it covers.
      const isStopped = turns.some(
        ({ decision: { rule, from, to } }) => rule === 'stopped' && seq > from && seq <= to,
      )
      return !isServed && !isListed && !isStopped
    })
    .map(({ seq, bot }) => `I1: what ${seq} asks of ${bot} was never served, voided or listed`)
}

function askedBy(entry: Entry): readonly Asked[] {
  if (!entry.wakes || entry.hops > MOST_HOPS) return []
  if (entry.kind === 'thread.ask') return [{ seq: entry.seq, bot: entry.body.bot }]
  if (entry.kind !== 'chat') return []
  return entry.body.mentions
    .filter((id) => id.startsWith('agt_') && id !== entry.authorId)
    .map((bot) => ({ seq: entry.seq, bot }))
}

/** Deleted, or edited so that it names the bot no more: whoever comes to decide it may have read that already. */
function isTakenBack(entries: readonly Entry[], { seq, bot }: Asked): boolean {
  return entries.some(
    ({ kind, body }) =>
      (kind === 'chat.delete' && body.target === seq) ||
      (kind === 'chat.edit' &&
        body.target === seq &&
        !body.everyone &&
        !body.mentions.includes(bot)),
  )
}

function signalsAreSilent(entries: readonly Entry[]): readonly string[] {
  const loud = entries
    .filter(({ kind }) => kind.startsWith('signal.'))
    .filter(({ wakes, readable }) => wakes || readable)
    .map(({ seq }) => `I10: the signal ${seq} can be heard`)
  const forged = ofKind(entries, 'chat')
    .filter(({ body, authorKind }) => body.handover !== undefined && authorKind !== 'system')
    .map(({ seq, authorId }) => `I10: ${authorId} wrote the handover ${seq}`)
  return [...loud, ...forged]
}
