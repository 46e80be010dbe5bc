import type { MuteInput, Thread, ThreadBot } from '@arbe/sdk'

/** The thread as it is at a moment: a mute whose time is over is none. The same thread where nothing has ended. */
export function threadAt(thread: Thread, now: number): Thread {
  const isOver = ({ mutedUntil }: ThreadBot): boolean =>
    mutedUntil !== null && Date.parse(mutedUntil) <= now
  if (!thread.bots.some(isOver)) return thread
  const bots = thread.bots.map((bot) =>
    isOver(bot) ? { ...bot, muted: false, mutedUntil: null } : bot,
  )
  return { ...thread, bots }
}

/** When the next mute ends by itself. */
export function nextEnd({ bots }: Thread): number | undefined {
  const ends = bots.flatMap(({ mutedUntil }) =>
    mutedUntil === null ? [] : [Date.parse(mutedUntil)],
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

export type MuteTime = 'hour' | 'tomorrow' | 'always'

export const MUTE_TIMES: readonly (readonly [MuteTime, string])[] = [
  ['hour', 'For 1 hour'],
  ['tomorrow', 'Until tomorrow'],
  ['always', 'Until unmuted'],
]

/** Tomorrow begins at eight, on the clock of whoever mutes. */
const MORNING = 8

export function muteFor(bot: string, time: MuteTime, now: Date): MuteInput {
  switch (time) {
    case 'hour':
      return { bot, muted: true, for: 60 }
    case 'tomorrow': {
      const morning = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING)
      return {
        bot,
        muted: true,
        for: Math.ceil((morning.getTime() - now.getTime()) / 60_000),
      }
    }
    case 'always':
      return { bot, muted: true }
  }
}
