import type { Bot } from '@arbe/sdk'
import { Link } from 'wouter'
import { Avatar } from '../thread/avatar.tsx'
import { sayMode } from './trigger-modes.ts'

export interface BotListProps {
  readonly bots: readonly Bot[]
  /** The house's default model. */
  readonly standard: string
}

export function BotList({ bots, standard }: BotListProps) {
  return (
    <ul className="mx-auto max-w-2xl space-y-2 p-5">
      {bots.map((bot) => (
        <li key={bot.id}>
          <Link
            href={`/bots/${bot.id}`}
            className="border-line bg-raised hover:border-soft flex gap-3 rounded-lg border p-4"
          >
            <Avatar who={{ name: bot.name, handle: bot.handle, kind: 'bot' }} />
            <span className="min-w-0">
              <span className="font-semibold">{bot.name}</span>{' '}
              <span className="text-soft text-sm">@{bot.handle}</span>
              <span className="block text-sm">
                {bot.description || 'No description: the director knows only the name.'}
              </span>
              <span className="text-soft block text-xs">
                {bot.model || standard}
                {bot.triggerMode !== null && ` · ${sayMode(bot.triggerMode)}`}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
