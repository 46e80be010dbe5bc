import { Card } from './card.tsx'

/** Undefined: the browser carries no session. */
export function SignedOut({ reason }: { readonly reason: string | undefined }) {
  if (reason !== undefined) {
    return (
      <Card title="The house does not answer">
        <p className="text-soft mb-4">{reason}</p>
        <button className="button" onClick={() => location.reload()}>
          Try again
        </button>
      </Card>
    )
  }
  return (
    <Card title="You need a link">
      <p className="text-soft">
        Ask somebody in the house for an invitation. If the house is yours, its owner link stands in
        the terminal where arbe was started first.
      </p>
    </Card>
  )
}
