import type { Thread, ThreadPatch } from '@arbe/sdk'
import { useCallback } from 'react'
import { Link } from 'wouter'
import { useStore } from '../house/use-house.ts'
import { useFetched } from '../shell/use-fetched.ts'

export interface CommandsPlaceProps {
  readonly thread: Thread
  readonly onEdit: (patch: ThreadPatch) => void
}

/** Where the thread's bots run commands. For guests there is nothing to choose. */
export function CommandsPlace({ thread, onEdit }: CommandsPlaceProps) {
  const { client } = useStore()
  const read = useCallback(async () => (await client.environments.list()).environments, [client])
  const environments = useFetched(read)
  if (environments.status !== 'ready') return null
  const bound = environments.value.find(({ id }) => id === thread.environment?.id)
  return (
    <div className="mt-5">
      <label className="block">
        <span className="label">Bots run commands in</span>
        <select
          className="field"
          value={thread.environment?.id ?? ''}
          onChange={({ target }) => onEdit({ environment: target.value || null })}
        >
          <option value="">nowhere</option>
          {environments.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p className="text-soft mt-1 text-sm">
        {bound?.box === 'none' && 'It has not been started, so nothing runs yet. '}
        <Link href="/environments" className="text-accent underline">
          Environments
        </Link>
      </p>
    </div>
  )
}
