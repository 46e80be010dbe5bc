import type { Bot, ModelInfo } from '@arbe/sdk'
import { useCallback } from 'react'
import { Link, useLocation } from 'wouter'
import { useStore } from '../house/use-house.ts'
import { EmptyList } from '../shell/empty-list.tsx'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import { BotForm } from './bot-form.tsx'
import { BotList } from './bot-list.tsx'

export interface BotScreenProps {
  /** Undefined: all of them; `new`: one to be made. */
  readonly id: string | undefined
}

export function BotScreen({ id }: BotScreenProps) {
  const store = useStore()
  const read = useCallback(async () => {
    const [{ bots }, { models, default: standard }] = await Promise.all([
      store.client.bots.list(),
      store.client.models(),
    ])
    return { bots, models, standard }
  }, [store])
  const house = useFetched(read)
  return (
    <Screen
      title={titleOf(id, house.status === 'ready' ? house.value.bots : [])}
      actions={id === undefined && <NewBot />}
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        {house.status === 'failed' && (
          <EmptyList says={house.message}>
            <button className="button" onClick={house.reload}>
              Try again
            </button>
          </EmptyList>
        )}
        {house.status === 'ready' && <Bots id={id} {...house.value} />}
      </div>
    </Screen>
  )
}

interface BotsProps extends BotScreenProps {
  readonly bots: readonly Bot[]
  readonly models: readonly ModelInfo[]
  readonly standard: string
}

function Bots({ id, bots, models, standard }: BotsProps) {
  const [, navigate] = useLocation()
  if (id === undefined) {
    if (bots.length > 0) return <BotList bots={bots} standard={standard} />
    return (
      <EmptyList says="No bot lives in this house yet.">
        <NewBot />
      </EmptyList>
    )
  }
  const bot = bots.find((one) => one.id === id)
  if (bot === undefined && id !== 'new') {
    return (
      <EmptyList says="This bot is not in the house.">
        <Link href="/bots" className="button">
          All bots
        </Link>
      </EmptyList>
    )
  }
  return <BotForm bot={bot} models={{ all: models, standard }} onDone={() => navigate('/bots')} />
}

function NewBot() {
  return (
    <Link href="/bots/new" className="button-primary">
      New bot
    </Link>
  )
}

function titleOf(id: string | undefined, bots: readonly Bot[]): string {
  if (id === undefined) return 'Bots'
  if (id === 'new') return 'New bot'
  return bots.find((bot) => bot.id === id)?.name ?? 'Bot'
}
