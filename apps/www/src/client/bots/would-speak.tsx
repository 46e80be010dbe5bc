import type { DecisionBody, WhoWouldSpeak } from '@arbe/sdk'
import { sayDecision, saySupposition } from '@arbe/sdk/say-decision'
import { sayEstimate } from '@arbe/sdk/say-money'
import { CandidateList } from '../thread/candidate-list.tsx'

/** Who would speak and why, or what it takes to find out. */
export function WouldSpeak({
  answer,
  isAsking,
  onAsk,
}: {
  readonly answer: WhoWouldSpeak
  readonly isAsking: boolean
  readonly onAsk: () => void
}) {
  const { candidates } = answer.kind === 'decided' ? answer.decision : answer
  return (
    <div className="border-line bg-raised text-soft space-y-3 rounded-lg border p-3 text-sm">
      {answer.kind === 'decided' ? (
        <p className="text-ink">{sayDecision(answer.decision, nameIn(candidates))}</p>
      ) : (
        <>
          <p className="text-ink">
            No rule answers: {answer.model} would choose
            {answer.nobodyAllowed && ', or choose nobody'}.
          </p>
          <button type="button" className="button" disabled={isAsking} onClick={onAsk}>
            Ask the model ({sayEstimate(answer.cost)})
          </button>
        </>
      )}
      {saySupposition(answer, nameIn(candidates)).map((note) => (
        <p key={note}>{note}</p>
      ))}
      <CandidateList candidates={candidates} />
    </div>
  )
}

const nameIn =
  (candidates: DecisionBody['candidates']) =>
  (wanted: string): string =>
    candidates.find(({ id }) => id === wanted)?.name ?? 'Somebody'
