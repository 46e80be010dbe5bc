import type { WhoWouldSpeak } from './api.ts'
import { headOfText } from './cut-text.ts'
import type { DecisionBody, OutcomeBody, Rule } from './entries.ts'
import type { ActorId } from './ids.ts'
import { sayMoney } from './say-money.ts'
import { sayTime } from './say-time.ts'

type NameOf = (id: ActorId) => string

/** One line for people: who answers or that nobody does, why, and what it cost to find out. */
export function sayDecision(decision: DecisionBody, nameOf: NameOf): string {
  const { skipped } = decision
  const rest = skipped === undefined ? '' : `; ${skipped} unreadable`
  return `${who(decision, nameOf)}: ${why(decision, nameOf)}${rest} · ${price(decision)}`
}

/** One line for what became of a speaker's turn. */
export function sayOutcome(outcome: OutcomeBody, speaker: string): string {
  const cost = outcome.cost > 0 ? ` · ${sayMoney(outcome.cost)}` : ''
  return `${speaker} ${became(outcome)}${cost}`
}

/** What an answer to "who would speak?" holds under; nothing where it simply holds. */
export function saySupposition(
  { running, behind, modeFrom }: Pick<WhoWouldSpeak, 'running' | 'behind' | 'modeFrom'>,
  nameOf: (id: string) => string,
): readonly string[] {
  return [
    ...(running === null
      ? []
      : [`${nameOf(running)} is speaking: this is for when that turn ends without a word.`]),
    ...(behind ? ['So much waits here that this would be decided later: first comes this.'] : []),
    ...(modeFrom === 'thread' ? ['The thread itself sets when this bot speaks.'] : []),
  ]
}

/** The line under the decision that begins a model's pause, and under no other; undefined elsewhere. */
export function sayPause({ kind, usage, failing }: DecisionBody): string | undefined {
  // Only a decision that called its model and got no choice moves the count, and with it the end of the pause.
  const begins = kind === 'undecided' && usage !== undefined
  if (!begins || failing?.pausedUntil === undefined) return undefined
  const { model, times, pausedUntil } = failing
  return `${model} left ${times} decisions in a row open and is not asked again before ${sayTime(pausedUntil)}; until then only rules that need no model choose`
}

/** Which model is not asked, and until when, where a decision suffers from it. */
export function sayRest({ kind, model, failing }: DecisionBody): string | undefined {
  if (kind !== 'undecided' || failing?.pausedUntil === undefined || failing.model !== model) {
    return undefined
  }
  return `${failing.model} until ${sayTime(failing.pausedUntil)}`
}

function who({ kind, speaker }: DecisionBody, nameOf: NameOf): string {
  if (kind === 'undecided') return 'Undecided'
  return speaker === null ? 'Nobody' : `${nameOf(speaker)} was asked`
}

function why(decision: DecisionBody, nameOf: NameOf): string {
  const { reason, rule } = decision
  if (reason !== undefined && reason.trim() !== '') return oneLine(reason)
  return rule === undefined ? 'the model chose so' : because[rule](decision, nameOf)
}

const because: Record<Rule, (decision: DecisionBody, nameOf: NameOf) => string> = {
  backlog: () => 'more was said since, and the end of it is decided',
  no_input: () => 'the message was deleted',
  asked: () => 'picked by a person',
  debt: () => 'a person had asked before',
  mention: () => 'named in a message',
  reply_to: () => 'a reply to what it said',
  handover: () => 'a job it had delegated came back',
  continue: () => 'somebody pressed Continue',
  blocked: (decision, nameOf) => about(decision, nameOf) ?? 'whoever was named may not speak',
  no_text: () => 'nothing to answer',
  hop_limit: () => 'bots have carried this from thread to thread too often',
  bot_spoke: () => 'only bots have spoken',
  to_people: () => 'said to people',
  named_unavailable: (decision, nameOf) => about(decision, nameOf) ?? 'whoever was named is away',
  always: () => 'it answers everything here',
  acknowledgement: () => 'thanks only',
  continuation: () => 'the talk with it goes on',
  no_bots: () => 'no bot is in this thread',
  turn_limit: (decision, nameOf) => about(decision, nameOf) ?? 'the limit of turns is reached',
  mention_only: () => 'the bots here wait to be named',
  none_eligible: () => 'no bot here may speak',
  owed: ({ owedAfter, ...decision }, nameOf) =>
    owedAfter === undefined
      ? 'it was asked before'
      : `it was asked before; for the rest nobody (${because[owedAfter](decision, nameOf)})`,
  passed: ({ passedBy }, nameOf) => `${listed(passedBy.map(nameOf)) || 'the bot'} passed`,
  stopped: () => 'stopped',
  budget_spent: () => 'the budget of today is spent',
  gave_up: () => 'deciding failed again and again',
  unavailable: () => 'the model could not be reached',
  no_answer: () => 'the model answered twice with no candidate',
  model_paused: () => 'the model is not asked for now, since it failed again and again',
}

function about(decision: DecisionBody, nameOf: NameOf): string | undefined {
  const bots = decision.about.map(({ id, why: state, until }) => {
    const end = until === undefined ? '' : ` until ${sayTime(until)}`
    return `${nameOf(id)} ${inWords(state)}${end}`
  })
  return bots.length === 0 ? undefined : listed(bots)
}

const states = new Map([
  ['left', 'has left'],
  ['muted', 'is muted'],
  ['external', 'is driven from outside'],
  ['never', 'is set never to speak'],
  ['turn_limit', 'has had its turns for now'],
])

// Written by a newer server: better shown than hidden.
const inWords = (state: string): string => states.get(state) ?? `cannot speak (${state})`

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

function became({ status, because: detail, error }: OutcomeBody): string {
  switch (status) {
    case 'replied':
      return 'replied'
    case 'passed':
      return detail === 'speaker_left' ? 'had left' : 'passed'
    case 'silent':
      return detail === 'after_side_effects' ? 'did something and said nothing' : 'said nothing'
    case 'failed':
      return error === undefined ? 'failed' : `failed: ${oneLine(error)}`
    case 'interrupted':
      return error === undefined ? 'was interrupted' : `was interrupted: ${oneLine(error)}`
    case 'cancelled':
      return cancelled(detail)
    case 'limit':
      return 'stopped at a limit'
  }
}

function cancelled(detail: string | undefined): string {
  if (detail === 'cause_deleted') return 'was cancelled: the message was deleted'
  return detail === 'speaker_left' ? 'had left' : 'was stopped'
}

function price({ kind, cost }: DecisionBody): string {
  return kind === 'free' && cost === 0 ? 'free' : sayMoney(cost)
}

const LINE_CHARS = 160

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length <= LINE_CHARS ? line : `${headOfText(line, LINE_CHARS - 1)}…`
}
