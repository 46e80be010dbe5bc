import type { DecisionBody, Rule, Thread } from '@arbe/sdk'
import type { DecisionItem } from './thread-item.ts'

export interface OffersMade {
  readonly canContinue: boolean
  readonly ask: readonly { readonly id: string; readonly name: string }[]
  /** The one that is offered has spoken, and it came to nothing. */
  readonly isAgain: boolean
}

/** Nobody is missed there. */
const contentRules: ReadonlySet<Rule> = new Set<Rule>([
  'acknowledgement',
  'bot_spoke',
  'no_input',
  'no_text',
  'to_people',
])

/** What a thread's last decision leaves to a person; nothing while its turn runs or after it was answered. */
export function offersOf({ decision, outcome }: DecisionItem, { bots }: Thread): OffersMade {
  const none: OffersMade = { canContinue: false, ask: [], isAgain: false }
  const askable = bots.filter(({ muted }) => !muted).map(({ id, name }) => ({ id, name }))
  if (decision.speaker !== null) {
    const hasFailed =
      outcome !== undefined && outcome.status !== 'replied' && outcome.status !== 'passed'
    const again = askable.filter(({ id }) => hasFailed && id === decision.speaker)
    return { ...none, ask: again, isAgain: again.length > 0 }
  }
  if (isLimited(decision)) return { ...none, canContinue: true }
  if (decision.rule !== undefined && contentRules.has(decision.rule)) return none
  return { ...none, ask: askable }
}

function isLimited({ rule, owedAfter, about }: DecisionBody): boolean {
  return (
    rule === 'turn_limit' ||
    rule === 'hop_limit' ||
    owedAfter === 'hop_limit' ||
    owedAfter === 'turn_limit' ||
    (rule === 'blocked' && about.some(({ why }) => why === 'turn_limit'))
  )
}
