import type { Entry, EntryOf } from '@arbe/sdk'
import { readAssistantMessage, toolCallsOf } from '../../packages/core/models/assistant-message.ts'
import { ofKind, type Turn } from './read-turns.ts'

/** What the turns of a stream break: outcomes, replies, who wrote what, and calls with their results. */
export function checkTurns(
  entries: readonly Entry[],
  turns: readonly Turn[],
  quiet: boolean,
): readonly string[] {
  return [
    ...turns.flatMap((turn) => [
      ...hasOneOutcome(turn, quiet),
      ...repliesOnce(turn),
      ...resultsFollowTheirCalls(turn),
      ...roundsFollowTheirResults(turn),
    ]),
    ...turnsDoNotOverlap(turns),
    ...fencesGrow(turns),
    ...outcomesHaveDecisions(entries, turns),
    ...writtenInside(entries, turns),
    ...storedOnce(entries),
  ]
}

function hasOneOutcome({ decision, outcomes }: Turn, quiet: boolean): readonly string[] {
  const { d, speaker } = decision
  const expected = speaker === null ? 0 : 1
  const isMissing = quiet && outcomes.length < expected
  return outcomes.length > expected || isMissing
    ? [`I3: decision ${d} has ${outcomes.length} outcomes and should have ${expected}`]
    : []
}

function repliesOnce({ decision: { d }, outcomes, replies, rounds }: Turn): readonly string[] {
  const [reply] = replies
  const [outcome] = outcomes
  const found: string[] = []
  if (replies.length > 1) found.push(`I3: decision ${d} has ${replies.length} replies`)
  if (outcome !== undefined) {
    const { status, reply: named } = outcome.body
    if (named !== reply?.seq)
      found.push(`I3: the outcome of ${d} names the reply ${named ?? 'none'}`)
    if ((reply !== undefined) !== (status === 'replied' || status === 'limit'))
      found.push(`I3: turn ${d} is ${status} and has ${replies.length} replies`)
  }
  if (reply !== undefined && reply.body.assistant !== rounds.at(-1)?.seq)
    found.push(`I3: the reply of ${d} is not what its last round says`)
  return found
}

function turnsDoNotOverlap(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ decision: { d, speaker }, outcomes }, index) => {
    const next = turns[index + 1]
    const ended = outcomes[0]?.seq ?? Infinity
    return speaker !== null && next !== undefined && ended > next.seq
      ? [`I3: decision ${next.decision.d} was made while turn ${d} ran`]
      : []
  })
}

/** Whoever decides holds the latest fence there is. */
function fencesGrow(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ decision: { d, fence } }, index) => {
    const before = turns[index - 1]?.decision.fence ?? 0
    return fence < before ? [`I4: decision ${d} has the fence ${fence} after ${before}`] : []
  })
}

function outcomesHaveDecisions(
  entries: readonly Entry[],
  turns: readonly Turn[],
): readonly string[] {
  const known = new Set(turns.map(({ decision }) => decision.d))
  return ofKind(entries, 'signal.thread_director.outcome')
    .filter(({ body }) => !known.has(body.d))
    .map(({ seq, body }) => `I3: ${seq} is the outcome of ${body.d}, which was never decided`)
}

/** What a turn writes stands between its decision and its outcome: later it would be a stale worker's. */
function writtenInside(entries: readonly Entry[], turns: readonly Turn[]): readonly string[] {
  const byOrdinal = new Map(turns.map((turn) => [turn.decision.d, turn]))
  return entries.filter(isOfTurn).flatMap((entry) => {
    const turn = byOrdinal.get(entry.causedBy ?? 0)
    const ended = turn?.outcomes[0]?.seq ?? Infinity
    const isInside = turn !== undefined && entry.seq > turn.seq && entry.seq < ended
    const isOwn = entry.authorId === turn?.decision.speaker && ordinalIn(entry) === turn.decision.d
    return isInside && isOwn ? [] : [`I4: entry ${entry.seq} is no part of turn ${entry.causedBy}`]
  })
}

function isOfTurn({ causedBy, kind }: Entry): boolean {
  return causedBy !== null || kind === 'pi.assistant' || kind === 'pi.tool_result'
}

function ordinalIn(entry: Entry): number | null {
  return entry.kind === 'pi.assistant' || entry.kind === 'pi.tool_result'
    ? entry.body.decision
    : entry.causedBy
}

function storedOnce(entries: readonly Entry[]): readonly string[] {
  const rounds = ofKind(entries, 'pi.assistant').map(({ body }) => `${body.decision}:${body.round}`)
  const results = ofKind(entries, 'pi.tool_result').map(
    ({ body }) => `${body.decision}:${body.round}:${body.index}`,
  )
  return [...twice(rounds), ...twice(results)].map((place) => `I8: ${place} was stored twice`)
}

function twice(all: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return all.filter((one) => seen.size === seen.add(one).size)
}

/** A call runs when it is on record: a result whose call is not there before it ran in the dark. */
function resultsFollowTheirCalls({ rounds, results }: Turn): readonly string[] {
  return results.flatMap(({ seq, body }) => {
    const round = rounds.find((one) => one.body.round === body.round)
    const isCalled =
      round !== undefined && round.seq < seq && callsIn(round)[body.index] === body.tool
    return isCalled ? [] : [`I8: nothing called for the result ${seq}`]
  })
}

/** The model goes on when each of its calls has an answer. */
function roundsFollowTheirResults({ decision: { d }, rounds, results }: Turn): readonly string[] {
  return rounds.flatMap((round, index) => {
    const next = rounds[index + 1]
    if (next === undefined) return []
    const answered = results.filter(({ seq, body }) => {
      return body.round === round.body.round && seq < next.seq
    })
    const missing = callsIn(round).length - answered.length
    return missing > 0
      ? [`I8: round ${next.body.round} of ${d} began with ${missing} calls open`]
      : []
  })
}

/** Names of the tools, in the order called. */
function callsIn({ body }: EntryOf<'pi.assistant'>): readonly string[] {
  const message = readAssistantMessage(body.message)
  return message === undefined ? [] : toolCallsOf(message).map(({ name }) => name)
}
