import type { DecisionBody, Exclusion } from '@arbe/sdk'

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

/** Among whom was chosen, and why the others could not be. */
export function CandidateList({ candidates }: { readonly candidates: DecisionBody['candidates'] }) {
  if (candidates.length === 0) return <p>No bot was in this thread.</p>
  return (
    <div>
      <p>Who could speak</p>
      <ul className="text-ink">
        {candidates.map(({ id, name, eligible, why }) => (
          <li key={id}>
            <span aria-hidden>{eligible ? '✓' : '–'}</span> {name}
            {why !== undefined && <span className="text-soft"> ({EXCLUDED[why]})</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
