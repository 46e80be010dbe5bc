import type { ThreadPage } from '@arbe/sdk'
import { useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { Field } from '../shell/field.tsx'
import { Trouble } from '../shell/trouble.tsx'

export interface ThreadChoiceProps {
  /** Only threads that this bot is in are offered. */
  readonly bot: string
  readonly first: ThreadPage
  readonly value: string
  readonly onChange: (id: string) => void
}

/** The threads last spoken in, and older ones on request. */
export function ThreadChoice({ bot, first, value, onChange }: ThreadChoiceProps) {
  const { client } = useStore()
  const [{ threads, next }, setOffered] = useState(first)
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<string>()

  async function readOlder(before: string): Promise<void> {
    setReading(true)
    setError(undefined)
    try {
      const page = await client.threads.list({ bot, before })
      setOffered({ threads: [...threads, ...page.threads], next: page.next })
    } catch (cause) {
      setError(messageOf(cause))
    } finally {
      setReading(false)
    }
  }

  return (
    <div>
      <Field label="In the thread">
        <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
          {threads.map(({ id, title }) => (
            <option key={id} value={id}>
              {title || 'Untitled'}
            </option>
          ))}
        </select>
      </Field>
      {next !== null && (
        <button
          type="button"
          className="button-quiet mt-1 -ml-2"
          disabled={isReading}
          onClick={() => void readOlder(next)}
        >
          Offer older threads
        </button>
      )}
      <Trouble message={error} />
    </div>
  )
}
