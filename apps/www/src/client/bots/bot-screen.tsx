import type { Bot, ModelInfo } from '@arbe/sdk'
import { useCallback } from 'react'
import { Link, useLocation } from 'wouter'
import { useStore } from '../house/use-house.ts'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import { BotForm } from './bot-form.tsx'

export interface BotScreenProps {
  /** Undefined: all of them; `new`: one to be made. */
  readonly id: string | undefined
  readonly onMenu: () => void
}

export function BotScreen({ id, onMenu }: BotScreenProps) {
  const store = useStore()
  const [, navigate] = useLocation()
  const read = useCallback(async () => {
    const [{ bots }, models] = await Promise.all([store.client.bots.list(), store.client.models()])
    return { bots, models }
  }, [store])
  const house = useFetched(read)
  const done = (): void => {
    house.reload()
    navigate('/bots')
  }
  const bot = house.status === 'ready' ? house.value.bots.find((one) => one.id === id) : undefined
  const title = id === undefined ? 'Bots' : id === 'new' ? 'New bot' : (bot?.name ?? 'Bot')
  return (
    <Screen
      title={title}
      onMenu={onMenu}
      actions={
        id === undefined && (
          <Link href="/bots/new" className="button-primary">
            New bot
          </Link>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        {house.status === 'failed' && <p className="text-bad p-5">{house.message}</p>}
        {house.status === 'ready' && id === undefined && <BotList bots={house.value.bots} />}
        {house.status === 'ready' && id !== undefined && (
          <BotForm bot={bot} models={modelsOf(house.value.models)} onDone={done} />
        )}
      </div>
    </Screen>
  )
}

function modelsOf(models: { models: readonly ModelInfo[]; default: string }) {
  return { all: models.models, standard: models.default }
}

function BotList({ bots }: { readonly bots: readonly Bot[] }) {
  if (bots.length === 0)
    return <p className="text-soft p-5">No bot lives here yet. Make the first one above.</p>
  return (
    <ul className="mx-auto max-w-2xl space-y-2 p-5">
      {bots.map((bot) => (
        <li key={bot.id}>
          <Link
            href={`/bots/${bot.id}`}
            className="border-line bg-raised hover:border-soft block rounded-lg border p-4"
          >
            <span className="font-semibold">{bot.name}</span>{' '}
            <span className="text-soft text-sm">@{bot.handle}</span>
            <span className="text-soft block text-sm">
              {bot.description === ''
                ? 'No description: the director knows only the name.'
                : bot.description}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
