import { type FormEvent, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Field } from '../shell/field.tsx'
import { focusOnShow } from '../shell/focus-on-show.ts'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'
import { Card } from './card.tsx'

/** Where an owner's or an invitation link leads. The token is in the path of this page only and is sent in a body. */
export function JoinScreen({ token }: { readonly token: string }) {
  const store = useStore()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function join(event: FormEvent): Promise<void> {
    event.preventDefault()
    setBusy(true)
    try {
      await store.client.openLink(token, name.trim())
      location.replace('/')
    } catch (cause) {
      setError(messageOf(cause))
      setBusy(false)
    }
  }

  return (
    <Card title="Come in">
      <form onSubmit={(event) => void join(event)} className="space-y-4">
        <Field label="Your name">
          <input
            ref={focusOnShow}
            className="field"
            value={name}
            onChange={(event) => setName(event.target.value)}
            placeholder="How the others see you"
            autoComplete="name"
            maxLength={64}
            required
          />
        </Field>
        <Trouble message={error} />
        <button className="button-primary w-full" disabled={isBusy}>
          Open the house
        </button>
      </form>
    </Card>
  )
}
