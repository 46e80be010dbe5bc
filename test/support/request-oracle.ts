import type { ActorId, DecisionBody, Entry, EntryOf, OutcomeBody } from '@arbe/sdk'
import type {
  Capture,
  RosterBot,
} from '../../packages/core/thread-director/thread-director-port.ts'
import { MOST_HOPS } from '../../packages/core/threads/hops.ts'

interface Told {
  readonly entries: readonly Entry[]
  readonly decisions: readonly DecisionBody[]
  readonly outcomes: readonly OutcomeBody[]
  readonly captures: readonly Pick<Capture, 'bots' | 'seen' | 'thread'>[]
  /** Who is there now, and under which limits. */
  readonly capture: () => Pick<Capture, 'bots' | 'seen' | 'thread'>
}

interface Asked {
  readonly bot: ActorId
  readonly entry: number
  /** The message that stands behind it: an edit's is what it edits. */
  readonly message: number
  readonly by: 'asked' | 'mention' | 'reply_to' | 'handover'
}

/**
 * Finds who was asked for, from the entries and from who was in the thread when each decision was made, and looks what became of it:
 * one end, at the right time, and listed until then. Knows nothing of the code that keeps requests. The thread has come to rest.
 */
export function brokenRequests(told: Told): readonly string[] {
  const asked = told.decisions.flatMap((_, at) =>
    told.entries
      .filter(({ seq }) => isFirstCoveredBy(told.decisions, at, seq))
      .flatMap((entry) => askedBy(entry, told, at))
      .map((request) => ({ request, first: at })),
  )
  const known = new Set(asked.map(({ request }) => nameOf(request)))
  const invented = told.decisions.flatMap(({ d, requests, voided }) =>
    [...requests, ...voided]
      .filter((one) => !known.has(nameOf(one)))
      .map((one) => `${d} invents ${nameOf(one)}`),
  )
  const lost = asked.flatMap(({ request, first }) => wrongFate(told, request, first))
  return [...invented, ...lost]
}

const nameOf = ({ bot, entry }: { readonly bot: string; readonly entry: number }): string =>
  `${bot}@${entry}`

function isFirstCoveredBy(decisions: readonly DecisionBody[], at: number, seq: number): boolean {
  const covers = ({ from, to }: DecisionBody): boolean => seq > from && seq <= to
  return decisions.findIndex(covers) === at
}

function askedBy(entry: Entry, told: Told, at: number): readonly Asked[] {
  const { bots = [], seen = 0 } = told.captures[at] ?? {}
  if (!entry.wakes || entry.hops > MOST_HOPS) return []
  const calls = callsIn(entry, told.entries, { bots, seen })
  return calls.filter(({ bot: id, by, message }, index) => {
    const bot = bots.find((one) => one.id === id)
    const isFirst = calls.findIndex((call) => call.bot === id) === index
    const mayBeAsked =
      bot === undefined || (!bot.external && (by === 'asked' || bot.mode !== 'never'))
    const isAgent = id.startsWith('agt_') && id !== entry.authorId
    return isFirst && mayBeAsked && isAgent && !isDeleted(told.entries, message, seen)
  })
}

interface Reader {
  readonly bots: readonly RosterBot[]
  readonly seen: number
}

function callsIn(
  entry: Entry,
  entries: readonly Entry[],
  { bots, seen }: Reader,
): readonly Asked[] {
  const ask = (by: Asked['by'], ids: readonly ActorId[], message: number = entry.seq): Asked[] =>
    ids.map((bot) => ({ bot, by, entry: entry.seq, message }))
  if (entry.kind === 'thread.ask') return ask('asked', [entry.body.bot])
  if (entry.kind === 'chat.edit') {
    const { target, added } = entry.body
    return ask(
      'mention',
      added.filter((id) => isNamed(entries, { message: target, seen }, id)),
      target,
    )
  }
  if (entry.kind !== 'chat') return []
  const { mentions, everyone, replyTo, handover } = entry.body
  if (handover !== undefined) return ask('handover', mentions)
  const place = { message: entry.seq, seen }
  const named = mentions.filter((id) => isNamed(entries, place, id))
  if (entry.authorKind !== 'person') return ask('mention', named)
  const isToAll = everyone && wordsOf(entries, place)?.everyone === true
  const all = isToAll ? bots.filter(({ muted }) => !muted).map(({ id }) => id) : []
  const answered = entries[(replyTo ?? 0) - 1]
  const author =
    answered?.kind === 'chat' && answered.authorKind === 'bot' ? [answered.authorId] : []
  return [...ask('mention', [...named, ...all]), ...ask('reply_to', author)]
}

interface Place {
  readonly message: number
  readonly seen: number
}

/** A message as it read when that was decided. */
function wordsOf(
  entries: readonly Entry[],
  { message, seen }: Place,
): EntryOf<'chat' | 'chat.edit'>['body'] | undefined {
  const said = entries.findLast(
    (entry) =>
      (entry.kind === 'chat' && entry.seq === message) ||
      (entry.kind === 'chat.edit' && entry.body.target === message && entry.seq <= seen),
  )
  return said?.kind === 'chat' || said?.kind === 'chat.edit' ? said.body : undefined
}

function isNamed(entries: readonly Entry[], place: Place, bot: ActorId): boolean {
  const words = wordsOf(entries, place)
  return words !== undefined && (words.everyone || words.mentions.includes(bot))
}

function isDeleted(entries: readonly Entry[], message: number, seen: number): boolean {
  return entries.some(
    ({ kind, body, seq }) => kind === 'chat.delete' && body.target === message && seq <= seen,
  )
}

/** Follows one request from its first decision on. */
function wrongFate(told: Told, request: Asked, first: number): readonly string[] {
  const name = nameOf(request)
  const is = (one: { readonly bot: string; readonly entry: number }): boolean =>
    nameOf(one) === name
  let ended = false
  const wrong: string[] = []
  for (const [at, decision] of told.decisions.entries()) {
    const { d, requests, voided, speaker, to } = decision
    const void_ = voided.find(is)
    const listed = requests.find(is)
    const isListed = listed !== undefined
    if (at < first || ended) {
      if (isListed || void_ !== undefined) wrong.push(`${d} lists ${name} when it is not open`)
      continue
    }
    if ((void_ === undefined) !== isListed) wrong.push(`${d} neither lists nor voids ${name}`)
    if (isListed && listed.by !== request.by) wrong.push(`${d} lists ${name} by ${listed.by}`)
    const why = void_ === undefined ? undefined : void_.why
    const reasons = reasonsAgainst(told.entries, request, told.captures[at] ?? NOBODY)
    if (why === undefined && reasons.length > 0) wrong.push(`${d} keeps ${name}: ${reasons.join()}`)
    if (why !== undefined && ![...reasons, ruleOf(decision)].includes(why))
      wrong.push(`${d} voids ${name} as ${why}`)
    const outcome = told.outcomes.find((one) => one.d === d)
    const isServed = speaker === request.bot && to >= request.entry && outcome !== undefined
    ended = void_ !== undefined || isServed || outcome?.voided.some(is) === true
  }
  if (!ended && !isBlocked(told, request))
    wrong.push(`${name} waits, and nothing stands against it`)
  return wrong
}

const NOBODY: Reader = { bots: [], seen: 0 }
const ruleOf = ({ rule }: DecisionBody): string => rule ?? 'paid'

function reasonsAgainst(
  entries: readonly Entry[],
  { bot: id, entry, message, by }: Asked,
  { bots, seen }: Reader,
): readonly string[] {
  const bot = bots.find((one) => one.id === id)
  const writtenAt = entries[entry - 1]?.createdAt ?? ''
  const reasons = {
    left: bot === undefined,
    muted:
      bot !== undefined &&
      (bot.muted || entry <= bot.mutedAt || writtenAt < (bot.mutedUntil ?? '')),
    edited: by === 'mention' && !isNamed(entries, { message, seen }, id),
    deleted: isDeleted(entries, message, seen),
  }
  return Object.entries(reasons).flatMap(([why, holds]) => (holds ? [why] : []))
}

/** A thread at rest owes a turn only to a bot that may not take one now; what the next decision will void waits until then. */
function isBlocked({ entries, decisions, capture }: Told, request: Asked): boolean {
  const { bots, seen, thread } = capture()
  if (reasonsAgainst(entries, request, { bots, seen }).length > 0) return true
  if (request.by === 'asked') return false
  const to = decisions.at(-1)?.to ?? 0
  const word = entries.findLast(
    ({ seq, wakes, authorKind }) => wakes && authorKind === 'person' && seq <= to,
  )
  const turns = decisions.filter((one) => one.speaker !== null && one.to >= (word?.seq ?? 0))
  const own = turns.filter(({ speaker }) => speaker === request.bot)
  const isAtLimit = own.length >= thread.limitPerBot || turns.length >= thread.limitPerThread
  return isAtLimit || bots.some(({ id, mode }) => id === request.bot && mode === 'never')
}
