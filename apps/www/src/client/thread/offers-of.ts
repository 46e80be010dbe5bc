import type { DecisionBody, Rule, Thread } from '@arbe/sdk'
import type { DecisionItem } from './thread-item.ts'

export interface OffersMade {
  readonly canContinue: boolean
  readonly ask: readonly { readonly id: string; readonly name: string; readonly isAgain: boolean }[]
}

/** Nobody is missed there. */
const contentRules: ReadonlySet<Rule> = new Set<Rule>([
  'acknowledgement',
  'bot_spoke',
  'no_input',
  'no_text',
  'to_people',
])

const ASKED = 5

/** What a thread's last decision leaves to a person; nothing while its turn runs or after it was answered. */
export function offersOf({ decision, outcome }: DecisionItem, { bots }: Thread): OffersMade {
  const askable = bots.filter(({ muted }) => !muted)
  if (decision.speaker !== null) {
    const hasFailed =
      outcome !== undefined && outcome.status !== 'replied' && outcome.status !== 'passed'
    const again = askable.filter(({ id }) => hasFailed && id === decision.speaker)
    return { canContinue: false, ask: again.map(({ id, name }) => ({ id, name, isAgain: true })) }
  }
  if (isLimited(decision)) return { canContinue: true, ask: [] }
  if (decision.rule !== undefined && contentRules.has(decision.rule)) {
    return { canContinue: false, ask: [] }
  }
  const ask = askable.slice(0, ASKED).map(({ id, name }) => ({ id, name, isAgain: false }))
  return { canContinue: false, ask }
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
