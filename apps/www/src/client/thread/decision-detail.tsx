import type { DecisionBody, OutcomeBody } from '@arbe/sdk'
import { headOfText } from '@arbe/sdk/cut-text'
import { sayDecision, sayOutcome, sayRest } from '@arbe/sdk/say-decision'
import { sayMoney } from '@arbe/sdk/say-money'
import { AskedRequests } from './asked-requests.tsx'
import { AskButtons } from './ask-buttons.tsx'
import { CandidateList } from './candidate-list.tsx'
import type { DecisionItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

interface DetailProps {
  readonly item: DecisionItem
  readonly scene: ThreadScene
}

/** Everything that is known of one decision: what it covers, among whom, by what, for how much, and what came of it. */
export function DecisionDetail({ item, scene }: DetailProps) {
  const { decision } = item
  return (
    <div className="border-line bg-raised text-soft mt-1 max-w-xl space-y-3 rounded-lg border p-3">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {rowsOf(item, scene).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd className="text-ink min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <CandidateList candidates={decision.candidates} />
      {decision.kind !== 'free' && <AskedRequests threadId={scene.thread.id} d={decision.d} />}
      <Verdict item={item} scene={scene} />
    </div>
  )
}

type Row = readonly [name: string, value: string]

function rowsOf({ decision, outcome, after }: DecisionItem, scene: ThreadScene): readonly Row[] {
  const name = (id: string): string => scene.who(id).name
  const speaker = decision.speaker === null ? 'It' : name(decision.speaker)
  const waiting = decision.requests.filter(({ bot }) => bot !== decision.speaker)
  return [
    ['About', covered(decision, scene)],
    ['Decided by', decidedBy(decision)],
    ['Choosing cost', `${sayMoney(decision.cost)}, ${seconds(decision.ms)}`],
    ...row('What went wrong', decision.error),
    ...row('Not asked for now', sayRest(decision)),
    ...row(
      `${speaker} saw`,
      decision.speaker === null ? undefined : `this thread up to entry ${decision.seen}`,
    ),
    ...row('Outcome', outcome && sayOutcome(outcome, speaker)),
    ...row('The turn cost', outcome && `${sayMoney(outcome.cost)}, ${turnSize(outcome)}`),
    ...row('Then', after && sayDecision(after, name)),
    ...row('Still waiting', [...new Set(waiting.map(({ bot }) => name(bot)))].join(', ')),
  ]
}

function row(name: string, value: string | undefined): readonly Row[] {
  return value === undefined || value === '' ? [] : [[name, value]]
}

const QUOTED = 60

function covered({ from, to }: DecisionBody, { view, who }: ThreadScene): string {
  if (from === to) return 'an earlier request'
  const said = [...view.messages.values()].filter(({ seq }) => seq > from && seq <= to)
  const quotes = said.map(({ author, text }) => {
    const short = text.length > QUOTED ? `${headOfText(text, QUOTED)}…` : text
    return `${who(author).name}: “${short}”`
  })
  const entries = to - from === 1 ? `entry ${to}` : `entries ${from + 1} to ${to}`
  return [...quotes.slice(-3), `(${entries})`].join(' ')
}

function decidedBy({ kind, rule, model }: DecisionBody): string {
  if (kind === 'free') return `the rule “${(rule ?? '').replaceAll('_', ' ')}”`
  return model ?? 'a model'
}

function turnSize({ rounds, ms, model }: OutcomeBody): string {
  const parts = [rounds === 1 ? '1 round' : `${rounds} rounds`, seconds(ms)]
  return [...parts, ...(model === undefined ? [] : [model])].join(', ')
}

const seconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`

/** What a reader may do about a choice, also about nobody: give the turn to another, or say that it was one too many. */
function Verdict({ item, scene }: DetailProps) {
  const { speaker } = item.decision
  const others = scene.thread.bots.filter(({ id, muted }) => id !== speaker && !muted)
  return (
    <div className="flex flex-wrap gap-1.5">
      <AskButtons bots={others} scene={scene} how={speaker === null ? undefined : 'instead'} />
      {speaker !== null && <TooMuch item={item} scene={scene} />}
    </div>
  )
}

function TooMuch({ item, scene }: DetailProps) {
  const { d } = item.decision
  if (item.wasTooMuch) return <span className="py-0.5">Noted: should have stayed quiet.</span>
  const verdict = 'should_have_stayed_quiet'
  return (
    <button
      className="button px-2 py-0.5"
      onClick={() => void scene.act({ kind: 'thread.feedback', decision: d, verdict })}
    >
      Should have stayed quiet
    </button>
  )
}
