import { type FormEvent, type ReactNode, useState } from 'react'
import { useStore } from '../house/use-house.ts'

/** Where an owner's or an invitation link leads. The token is in the path of this page only and is sent in a body. */
export function JoinScreen({ token }: { readonly token: string }) {
  const store = useStore()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function join(event: FormEvent): Promise<void> {
    event.preventDefault()
    setBusy(true)
    try {
      await store.client.openLink(token, name.trim())
      location.replace('/')
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
      setBusy(false)
    }
  }

  return (
    <Card title="Come in">
      <form onSubmit={(event) => void join(event)} className="space-y-4">
        <label className="block">
          <span className="label">Your name</span>
          <input
            className="field"
            value={name}
            onChange={(event) => setName(event.target.value)}
            placeholder="How the others see you"
            maxLength={64}
            required
            autoFocus
          />
        </label>
        {error !== undefined && (
          <p role="alert" className="text-bad text-sm">
            {error}
          </p>
        )}
        <button className="button-primary w-full" disabled={busy}>
          Open the house
        </button>
      </form>
    </Card>
  )
}

export function SignedOut({ reason }: { readonly reason: string }) {
  if (reason !== '') {
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
        the terminal where arbe was started first; <code>arbe owner-link</code> prints a new one.
      </p>
    </Card>
  )
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="border-line bg-raised w-full max-w-sm rounded-xl border p-6">
        <h1 className="mb-4 text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  )
}
