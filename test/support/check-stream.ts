import type { DecisionBody, Entry, EntryOf, OutcomeBody } from '@arbe/sdk'

export interface Acknowledged {
  readonly seq: number
  readonly text: string
}

export interface CheckOptions {
  /** Appends whose answer arrived: each must stand at its offset with its words. */
  readonly acknowledged?: readonly Acknowledged[]
  /** The thread has come to rest: nothing may be left undecided or without its outcome. */
  readonly quiet: boolean
}

/**
 * Finds what a thread's stream breaks of the promises, from its entries alone; empty when it keeps them all. `entries` is the whole
 * stream in the order in which it was read.
 */
export function checkStream(entries: readonly Entry[], options: CheckOptions): readonly string[] {
  const thread = readThread(entries)
  return [
    ...offsetsAreDense(entries),
    ...acknowledgedIsThere(entries, options.acknowledged ?? []),
    ...rangesTile(thread, options),
    ...outcomesAreOne(thread, options),
    ...turnsStayInside(thread),
    ...resultsAreOne(thread),
    ...requestsEnd(thread, options),
  ]
}

interface Decided {
  readonly seq: number
  readonly decision: DecisionBody
  readonly outcomes: readonly { readonly seq: number; readonly body: OutcomeBody }[]
}

interface Thread {
  readonly entries: readonly Entry[]
  readonly decided: readonly Decided[]
}

function readThread(entries: readonly Entry[]): Thread {
  const decided = ofKind(entries, 'signal.thread_director.decision').map((entry) => ({
    seq: entry.seq,
    decision: entry.body,
    outcomes: ofKind(entries, 'signal.thread_director.outcome')
      .filter(({ body }) => body.d === entry.body.d)
      .map(({ seq, body }) => ({ seq, body })),
  }))
  return { entries, decided }
}

function ofKind<Kind extends Entry['kind']>(
  entries: readonly Entry[],
  kind: Kind,
): readonly EntryOf<Kind>[] {
  return entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind)
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

const closes = ({ decision, outcomes }: Decided): boolean =>
  decision.speaker === null || outcomes.some(({ body }) => body.closes)

function rangesTile({ entries, decided }: Thread, { quiet }: CheckOptions): readonly string[] {
  const found: string[] = []
  let reached = 0
  for (const [index, one] of decided.entries()) {
    const { d, from, to, seen } = one.decision
    if (d !== index + 1) found.push(`I11: decision ${index + 1} in order has the number ${d}`)
    if (from !== reached) found.push(`I1: decision ${d} begins at ${from}, not at ${reached}`)
    if (to > seen || to < from)
      found.push(`I1: decision ${d} covers (${from}, ${to}] and saw ${seen}`)
    if (closes(one)) reached = to
  }
  const lastWaking = entries.findLast(({ wakes }) => wakes)?.seq ?? 0
  if (quiet && reached < lastWaking)
    found.push(`I1: ${lastWaking} wakes and nothing past ${reached} is decided`)
  return found
}

function outcomesAreOne({ entries, decided }: Thread, { quiet }: CheckOptions): readonly string[] {
  return decided.flatMap(({ decision: { d, speaker }, outcomes }) => {
    const replies = ofKind(entries, 'chat').filter(({ causedBy }) => causedBy === d)
    const expected = speaker === null ? 0 : 1
    const missing = quiet && outcomes.length < expected
    return [
      ...(outcomes.length > expected || missing
        ? [`I3: decision ${d} has ${outcomes.length} outcomes and should have ${expected}`]
        : []),
      ...(replies.length > expected ? [`I3: decision ${d} has ${replies.length} replies`] : []),
      ...outcomes.flatMap(({ body }) =>
        (body.reply ?? 0) === (replies[0]?.seq ?? 0)
          ? []
          : [`I3: the outcome of ${d} names the reply ${body.reply ?? 'none'}`],
      ),
    ]
  })
}

/** What a turn writes stands between its decision and its outcome: later it would be a stale worker's. */
function turnsStayInside({ entries, decided }: Thread): readonly string[] {
  return entries
    .filter(({ causedBy }) => causedBy !== null)
    .flatMap((entry) => {
      const turn = decided.find(({ decision }) => decision.d === entry.causedBy)
      const outcome = turn?.outcomes[0]?.seq ?? Infinity
      const inside = turn !== undefined && entry.seq > turn.seq && entry.seq < outcome
      const own = entry.authorId === turn?.decision.speaker
      return inside && own ? [] : [`I4: entry ${entry.seq} is no part of turn ${entry.causedBy}`]
    })
}

function resultsAreOne({ entries }: Thread): readonly string[] {
  const rounds = ofKind(entries, 'pi.assistant').map(({ body }) => `${body.decision}:${body.round}`)
  const results = ofKind(entries, 'pi.tool_result').map(
    ({ body }) => `${body.decision}:${body.round}:${body.index}`,
  )
  return [...twice(rounds), ...twice(results)].map((place) => `I8: ${place} was stored twice`)
}

function twice(all: readonly string[]): readonly string[] {
  return all.filter((one, index) => all.indexOf(one) !== index)
}

/** A mention by a person or another bot is served, void, or listed as waiting. */
function requestsEnd({ entries, decided }: Thread, { quiet }: CheckOptions): readonly string[] {
  if (!quiet) return []
  const open = decided.at(-1)?.decision.requests ?? []
  const voided = decided.flatMap(({ decision, outcomes }) => [
    ...decision.voided,
    ...outcomes.flatMap(({ body }) => body.voided),
  ])
  return ofKind(entries, 'chat')
    .filter(({ wakes }) => wakes)
    .flatMap(({ seq, authorId, body }) =>
      body.mentions
        .filter((id) => id.startsWith('agt_') && id !== authorId)
        .filter((bot) => {
          const served = decided.some(
            (one) => one.decision.speaker === bot && one.decision.to >= seq && closes(one),
          )
          const listed = [...voided, ...open].some((one) => one.bot === bot && one.entry === seq)
          return !served && !listed
        })
        .map((bot) => `I1: what ${seq} asks of ${bot} was never served, voided or listed`),
    )
}
