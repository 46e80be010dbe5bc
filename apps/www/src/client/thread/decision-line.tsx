import type { DecisionBody, Exclusion, OutcomeBody, Thread } from '@arbe/sdk'
import { sayDecision, sayOutcome } from '@arbe/sdk/say-decision'
import { useStore } from '../house/use-house.ts'
import type { Who } from './people.ts'
import type { ThreadItem, ThreadView } from './thread-view.ts'

type DecisionItem = Extract<ThreadItem, { type: 'decision' }>

interface DecisionLineProps {
  readonly item: DecisionItem
  readonly view: ThreadView
  readonly thread: Thread
  readonly who: (id: string) => Who
}

/** Who was chosen, or that nobody was, and why; a click tells the rest. */
export function DecisionLine({ item, view, thread, who }: DecisionLineProps) {
  const { decision, outcome } = item
  const isLast = view.lastDecision?.d === decision.d
  const trouble =
    outcome !== undefined && outcome.status !== 'replied' && outcome.status !== 'passed'
  return (
    <div className="my-1 ml-11">
      <details className="text-soft text-sm">
        <summary className="hover:text-ink cursor-pointer list-none">
          <span aria-hidden className={decision.kind === 'undecided' ? 'text-warn' : 'text-accent'}>
            {decision.speaker === null ? '○ ' : '● '}
          </span>
          {sayDecision(decision, (id) => who(id).name)}
        </summary>
        <Detail decision={decision} outcome={outcome} who={who} />
      </details>
      {trouble && decision.speaker !== null && (
        <p className={`text-sm ${outcome.status === 'failed' ? 'text-bad' : 'text-soft'}`}>
          {sayOutcome(outcome, who(decision.speaker).name)}
        </p>
      )}
      {isLast && <Offers item={item} thread={thread} who={who} />}
    </div>
  )
}

const EXCLUDED: Record<Exclusion, string> = {
  muted: 'muted',
  never: 'set never to speak',
  mention_only: 'speaks only when named',
  turn_limit: 'has had its turns for now',
  passed: 'passed',
  author: 'wrote all of it itself',
  external: 'driven from outside',
  not_always: 'another bot answers always',
}

function Detail({
  decision,
  outcome,
  who,
}: {
  readonly decision: DecisionBody
  readonly outcome: OutcomeBody | undefined
  readonly who: (id: string) => Who
}) {
  const rows: [string, string][] = [
    [
      'Decided by',
      decision.kind === 'free' ? `rule ${decision.rule ?? ''}` : (decision.model ?? 'a model'),
    ],
    [
      'Covers',
      decision.from === decision.to
        ? 'an older request'
        : `messages ${decision.from + 1} to ${decision.to}, read up to ${decision.seen}`,
    ],
    ['Choosing cost', decision.cost === 0 ? 'nothing' : `$${decision.cost.toFixed(6)}`],
    ['Took', `${Math.round(decision.ms)} ms`],
  ]
  if (decision.error !== undefined) rows.push(['Reason', decision.error])
  if (outcome !== undefined) {
    rows.push(
      [
        'Outcome',
        `${outcome.status}${outcome.because === undefined ? '' : `: ${outcome.because}`}`,
      ],
      [
        'Turn',
        `${outcome.rounds} rounds, ${outcome.cost === 0 ? 'free' : `$${outcome.cost.toFixed(6)}`}, ${(outcome.ms / 1_000).toFixed(1)} s`,
      ],
    )
  }
  return (
    <div className="border-line bg-raised mt-1 rounded-md border p-3">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd className="text-ink">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2">Who could speak</p>
      <ul className="text-ink">
        {decision.candidates.map((candidate) => (
          <li key={candidate.id}>
            {candidate.eligible ? '✓' : '–'} {candidate.name}
            {candidate.why !== undefined && (
              <span className="text-soft"> ({EXCLUDED[candidate.why]})</span>
            )}
          </li>
        ))}
        {decision.candidates.length === 0 && (
          <li className="text-soft">no bot is in this thread</li>
        )}
      </ul>
      {decision.requests.length > 0 && (
        <p className="mt-2">
          Open requests: {decision.requests.map((request) => who(request.bot).name).join(', ')}
        </p>
      )}
    </div>
  )
}

/** What one may do about the last decision: ask somebody, go on after a limit, try a failed turn again. */
function Offers({
  item,
  thread,
  who,
}: {
  readonly item: DecisionItem
  readonly thread: Thread
  readonly who: (id: string) => Who
}) {
  const store = useStore()
  const { decision, outcome } = item
  const running = decision.speaker !== null && outcome === undefined
  if (running) return null
  const ask = (bot: string): void => {
    void store.client.threads.append(thread.id, { kind: 'thread.ask', bot })
  }
  const limited = decision.rule === 'turn_limit' || decision.owedAfter === 'turn_limit'
  const retry = outcome?.status === 'failed' || outcome?.status === 'interrupted'
  const askable = thread.bots.filter((bot) => !bot.muted && bot.id !== decision.speaker)
  const offersAsk =
    decision.speaker === null &&
    decision.rule !== 'acknowledgement' &&
    decision.rule !== 'bot_spoke'
  return (
    <div className="mt-1 flex flex-wrap gap-1.5">
      {limited && (
        <button
          className="button px-2 py-0.5"
          onClick={() => void store.client.threads.append(thread.id, { kind: 'thread.continue' })}
        >
          Continue
        </button>
      )}
      {retry && decision.speaker !== null && (
        <button className="button px-2 py-0.5" onClick={() => ask(String(decision.speaker))}>
          Ask {who(decision.speaker).name} again
        </button>
      )}
      {offersAsk &&
        askable.slice(0, 5).map((bot) => (
          <button key={bot.id} className="button px-2 py-0.5" onClick={() => ask(bot.id)}>
            Ask {bot.name}
          </button>
        ))}
    </div>
  )
}
