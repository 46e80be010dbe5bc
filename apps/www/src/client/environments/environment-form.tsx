import { type FormEvent, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Field } from '../shell/field.tsx'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'

/** Makes an environment and starts it. */
export function EnvironmentForm({ onMade }: { readonly onMade: () => void }) {
  const { client } = useStore()
  const [name, setName] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [isMaking, setMaking] = useState(false)
  const [error, setError] = useState<string>()

  async function make(): Promise<void> {
    setMaking(true)
    setError(undefined)
    try {
      const network = isOpen ? 'open' : 'none'
      const { id } = await client.environments.create({ name, network })
      setName('')
      await client.environments.start(id)
    } catch (cause) {
      setError(messageOf(cause))
    }
    setMaking(false)
    onMade()
  }

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    void make()
  }
  return (
    <form onSubmit={onSubmit} className="border-line space-y-3 rounded-lg border border-dashed p-4">
      <Field label="A new environment">
        <input
          className="field"
          required
          maxLength={64}
          placeholder="workshop"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="accent-accent mt-1"
          checked={isOpen}
          onChange={({ target }) => setOpen(target.checked)}
        />
        <span>
          Commands may use the network
          <span className="text-soft block text-sm">
            They then reach whatever this machine reaches, services that listen on the machine
            itself included.
          </span>
        </span>
      </label>
      <button className="button-primary" disabled={isMaking || name.trim() === ''}>
        {isMaking ? 'Making it…' : 'Make and start'}
      </button>
      <Trouble message={error} />
    </form>
  )
}
