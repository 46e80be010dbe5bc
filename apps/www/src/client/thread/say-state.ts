import type { BotRequest, ThreadState } from '@arbe/sdk'
import type { Who } from './people.ts'

export interface StateLineParts {
  readonly state: ThreadState
  readonly waiting: readonly BotRequest[]
  readonly typing: readonly Who[]
  readonly who: (id: string) => Who
  readonly now: number
}

/** From this long on it is said how long. */
const LONG_S = 3

/** What the thread is doing, in one sentence; empty: nothing. */
export function sayState({ state, typing, waiting, who, now }: StateLineParts): string {
  switch (state.status) {
    case 'deciding':
      return 'Choosing who answers'
    case 'speaking': {
      const seconds = Math.round((now - state.since) / 1_000)
      const doing = state.tool === null ? 'is answering' : `is running ${state.tool}`
      return `${who(state.bot).name} ${doing}${seconds >= LONG_S ? ` (${seconds} s)` : ''}`
    }
    case 'quiet':
      return sayQuiet(
        typing,
        waiting.map(({ bot }) => who(bot)),
      )
  }
}

function sayQuiet(typing: readonly Who[], waiting: readonly Who[]): string {
  if (typing.length > 0) return `${list(typing)} ${typing.length === 1 ? 'is' : 'are'} typing`
  const bots = [...new Map(waiting.map((who) => [who.id, who])).values()]
  if (bots.length === 0) return ''
  return `${list(bots)} ${bots.length === 1 ? 'waits' : 'wait'} for a turn`
}

const list = (all: readonly Who[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(all.map(({ name }) => name))
