import type { Environment, SandboxProvider } from '@arbe/sdk/environments'
import { useCallback } from 'react'
import { useHouse, useStore } from '../house/use-house.ts'
import { EmptyList } from '../shell/empty-list.tsx'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import { EnvironmentCard } from './environment-card.tsx'
import { EnvironmentForm } from './environment-form.tsx'

/** Where bots run commands: what there is, whether it works, and how to make one. */
export function EnvironmentScreen() {
  const { client } = useStore()
  const { me } = useHouse()
  const read = useCallback(
    () => Promise.all([client.environments.list(), client.environments.providers()]),
    [client],
  )
  const shown = useFetched(read)
  const mayChange = me?.person.role === 'owner' || me?.person.role === 'admin'
  return (
    <Screen title="Environments">
      <div className="min-h-0 flex-1 overflow-y-auto">
        {shown.status === 'failed' && (
          <EmptyList says={shown.message}>
            <button className="button" onClick={shown.reload}>
              Try again
            </button>
          </EmptyList>
        )}
        {shown.status === 'ready' && (
          <div className="mx-auto max-w-2xl space-y-5 p-5">
            <p className="text-soft text-sm">
              A thread bound to an environment lets its bots run commands in the environment’s box,
              and nowhere else.
            </p>
            {shown.value[1].providers.filter(isBroken).map((provider) => (
              <Broken key={provider.name} provider={provider} />
            ))}
            <EnvironmentList
              environments={shown.value[0].environments}
              mayChange={mayChange}
              onChanged={shown.reload}
            />
            {mayChange && <EnvironmentForm onMade={shown.reload} />}
          </div>
        )}
      </div>
    </Screen>
  )
}

const isBroken = ({ status }: SandboxProvider): boolean => status === 'broken'

function Broken({ provider: { name, reason, remedy } }: { readonly provider: SandboxProvider }) {
  return (
    <div role="alert" className="border-warn rounded-lg border p-4 text-sm">
      <p className="font-medium">Nothing of the kind “{name}” runs here.</p>
      <p className="text-soft mt-1 font-mono text-[13px] break-words">{reason}</p>
      <p className="mt-1">{remedy}</p>
    </div>
  )
}

function EnvironmentList({
  environments,
  ...props
}: {
  readonly environments: readonly Environment[]
  readonly mayChange: boolean
  readonly onChanged: () => void
}) {
  if (environments.length === 0)
    return <p>There is none yet: the house’s bots run commands nowhere.</p>
  return (
    <ul className="space-y-2">
      {environments.map((environment) => (
        <EnvironmentCard key={environment.id} environment={environment} {...props} />
      ))}
    </ul>
  )
}
