import type { Person, ThreadBot, ThreadPatch } from '@arbe/sdk'
import { sayTime } from '@arbe/sdk/say-time'
import { SAID_MODES, toMode } from '../bots/trigger-modes.ts'
import { useHouse } from '../house/use-house.ts'
import { MuteChoice } from './mute-choice.tsx'

export function BotRow({
  bot,
  onEdit,
}: {
  readonly bot: ThreadBot
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  return (
    <li className="space-y-1">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 truncate">
          {bot.name} <span className="text-soft text-sm">@{bot.handle}</span>
        </span>
        {bot.muted && <span className="text-warn shrink-0 text-sm">{sayMute(bot)}</span>}
      </span>
      <div className="flex items-center gap-1">
        <select
          className="border-line bg-raised min-w-0 rounded-md border px-2 py-1 text-sm"
          aria-label={`When ${bot.name} speaks`}
          value={bot.mode}
          onChange={(event) => {
            const mode = toMode(event.target.value)
            if (mode !== undefined) onEdit({ modes: [{ bot: bot.id, mode }] })
          }}
        >
          {SAID_MODES.map(([mode, said]) => (
            <option key={mode} value={mode}>
              {said}
            </option>
          ))}
        </select>
        <MuteChoice bot={bot} onMute={(mute) => onEdit({ mutes: [mute] })} />
        <button className="button-quiet" onClick={() => onEdit({ removeBots: [bot.id] })}>
          Remove
        </button>
      </div>
    </li>
  )
}

function sayMute({ mutedUntil }: ThreadBot): string {
  return mutedUntil === null ? 'muted' : `muted until ${sayTime(mutedUntil)}`
}

export function PersonRow({
  person,
  onEdit,
}: {
  readonly person: Person
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  const isMe = useHouse().me?.person.id === person.id
  return (
    <li className="flex items-center gap-2">
      <span className="min-w-0 flex-1 truncate">
        {person.name} <span className="text-soft text-sm">@{person.handle}</span>
      </span>
      <span className="text-soft text-sm">{person.role}</span>
      <button className="button-quiet" onClick={() => onEdit({ removePeople: [person.id] })}>
        {isMe ? 'Leave' : 'Remove'}
      </button>
    </li>
  )
}
