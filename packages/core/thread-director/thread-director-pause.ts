import type { DecisionBody, Failing } from '@arbe/sdk'
import type { DirectorView } from './thread-director-entry-view.ts'
import type { PaidQuestion } from './thread-director-rules.ts'

/** Paid decisions in a row that one model may leave undecided. */
const MOST_FAILURES = 3

/** Long enough that a broken model costs a thread next to nothing, short enough that nobody has to lift it. */
const PAUSE_MS = 10 * 60_000

/** The model is not asked now: only rules that need none choose. */
export function isPaused({ failing, now }: DirectorView, model: string): boolean {
  if (failing?.pausedUntil === undefined || failing.model !== model) return false
  return now < Date.parse(failing.pausedUntil)
}

export function pausedAnswer(question: PaidQuestion, model: string) {
  return { kind: 'undecided', rule: 'model_paused', question, model, cost: 0 } as const
}

type Asked = Pick<Partial<DecisionBody>, 'model' | 'usage'> & Pick<DecisionBody, 'kind'>

/** What the next decision knows of its model. The count travels on the decisions, so that it outlives rows and processes. */
export function failingAfter(view: DirectorView, asked: Asked, ms: number): Failing | undefined {
  if (asked.kind === 'paid') return undefined
  const { model, usage } = asked
  // A name without a model behind it was never called: there is nothing to spare, and its key may come any moment.
  if (model === undefined || usage === undefined) return view.failing
  const times = view.failing?.model === model ? view.failing.times + 1 : 1
  if (times < MOST_FAILURES) return { model, times }
  const pausedUntil = new Date(view.now + Math.round(ms) + PAUSE_MS).toISOString()
  return { model, times, pausedUntil }
}
