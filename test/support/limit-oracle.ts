import type { DecisionBody, Entry } from '@arbe/sdk'
import type { ThreadSettings } from '../../packages/core/thread-director/thread-director-port.ts'

interface Told {
  readonly entries: readonly Entry[]
  readonly decisions: readonly DecisionBody[]
  readonly captures: readonly { readonly thread: ThreadSettings }[]
}

/** Turns past a limit, counted from the entries and the decisions' speakers alone; empty when there is none. */
export function brokenLimits({ entries, decisions, captures }: Told): readonly string[] {
  return decisions.flatMap((decision, at) => {
    const { d, speaker, to } = decision
    const { limitPerBot = 0, limitPerThread = 0 } = captures[at]?.thread ?? {}
    if (speaker === null || isAsked(decision)) return []
    const word = entries.findLast((entry) => entry.seq <= to && isWord(entry))?.seq ?? 0
    const turns = decisions.slice(0, at).filter((one) => one.speaker !== null && one.to >= word)
    const own = turns.filter((one) => one.speaker === speaker)
    if (own.length >= limitPerBot)
      return [`turn ${d} is ${speaker}'s ${own.length + 1}. of ${limitPerBot}`]
    if (turns.length >= limitPerThread)
      return [`turn ${d} is the ${turns.length + 1}. of ${limitPerThread}`]
    return []
  })
}

function isAsked({ speaker, to, requests }: DecisionBody): boolean {
  return requests.some(({ bot, entry, by }) => bot === speaker && by === 'asked' && entry <= to)
}

function isWord({ authorKind, wakes, kind }: Entry): boolean {
  return (
    authorKind === 'person' &&
    wakes &&
    (kind === 'chat' || kind === 'chat.edit' || kind === 'thread.ask' || kind === 'thread.continue')
  )
}
