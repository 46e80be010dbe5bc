import type { MuteInput, ThreadBot } from '@arbe/sdk'
import { MUTE_TIMES, muteFor } from './mute-times.ts'

/** Keeps a bot silent in the thread for a time, and lets it speak again. */
export function MuteChoice({
  bot,
  onMute,
}: {
  readonly bot: ThreadBot
  readonly onMute: (mute: MuteInput) => void
}) {
  if (bot.muted) {
    return (
      <button className="button-quiet" onClick={() => onMute({ bot: bot.id, muted: false })}>
        Unmute
      </button>
    )
  }
  return (
    <select
      className="text-soft hover:bg-panel hover:text-ink w-20 rounded-md bg-transparent px-2 py-1 text-sm"
      aria-label={`Mute ${bot.name}`}
      value=""
      onChange={({ target }) => {
        const [time] = MUTE_TIMES.find(([name]) => name === target.value) ?? []
        if (time !== undefined) onMute(muteFor(bot.id, time, new Date()))
      }}
    >
      <option value="" disabled hidden>
        Mute
      </option>
      {MUTE_TIMES.map(([time, said]) => (
        <option key={time} value={time} className="bg-raised text-ink">
          {said}
        </option>
      ))}
    </select>
  )
}
