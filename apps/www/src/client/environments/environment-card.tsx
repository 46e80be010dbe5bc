import type { Environment } from '@arbe/sdk/environments'
import { useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'

export interface EnvironmentCardProps {
  readonly environment: Environment
  readonly mayChange: boolean
  readonly onChanged: () => void
}

export function EnvironmentCard({ environment, mayChange, onChanged }: EnvironmentCardProps) {
  const { id, name, box } = environment
  const { client } = useStore()
  const [work, setWork] = useState<'none' | 'running' | { readonly failed: string }>('none')

  async function run(change: () => Promise<unknown>): Promise<void> {
    setWork('running')
    try {
      await change()
      setWork('none')
      onChanged()
    } catch (cause) {
      setWork({ failed: messageOf(cause) })
    }
  }

  const isRunning = work === 'running'
  return (
    <li className="border-line bg-raised rounded-lg border p-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-semibold">{name}</span>
        {box === 'none' && (
          <button
            className="button"
            disabled={isRunning}
            onClick={() => void run(() => client.environments.start(id))}
          >
            {isRunning ? 'Starting…' : 'Start'}
          </button>
        )}
        {mayChange && (
          <button
            className="button-quiet"
            disabled={isRunning}
            onClick={() => {
              if (confirm(`Remove ${name} with its box and all files in it?`))
                void run(() => client.environments.remove(id))
            }}
          >
            Remove
          </button>
        )}
      </div>
      <p className="text-soft text-sm">{aboutOf(environment)}</p>
      <Trouble message={typeof work === 'object' ? work.failed : undefined} />
    </li>
  )
}

function aboutOf({ provider, network, box, variables }: Environment): string {
  const names = Object.keys(variables)
  return [
    box === 'ready' ? 'Started' : 'Not started: it has no box yet',
    provider === 'local' ? 'on this machine' : `on ${provider}`,
    network === 'open' ? 'reaches the network, this machine’s own services too' : 'no network',
    ...(names.length === 0 ? [] : [`variables ${names.join(', ')}`]),
  ].join(' · ')
}
