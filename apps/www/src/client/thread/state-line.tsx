import type { BotRequest, ThreadState } from '@arbe/sdk'
import type { Who } from './people.ts'

export interface StateLineProps {
  readonly state: ThreadState
  readonly waiting: readonly BotRequest[]
  readonly typing: readonly Who[]
  readonly who: (id: string) => Who
  readonly now: number
  readonly onStop: () => Promise<unknown>
}

/** What the thread is doing now, in one line under the messages. Its place is kept when there is nothing to say. */
export function StateLine(props: StateLineProps) {
  const { state, onStop } = props
  return (
    <div className="mx-auto flex h-8 w-full max-w-3xl items-center gap-3 px-3 text-sm md:px-5">
      <p role="status" className="text-soft min-w-0 flex-1 truncate">
        {state.status !== 'quiet' && (
          <span
            aria-hidden
            className="bg-accent mr-2 inline-block size-2 animate-pulse rounded-full"
          />
        )}
        {sentence(props)}
      </p>
      {state.status !== 'quiet' && (
        <button className="button px-2 py-0.5" onClick={() => void onStop()}>
          Stop
        </button>
      )}
    </div>
  )
}

function sentence({ state, typing, waiting, who, now }: StateLineProps): string {
  switch (state.status) {
    case 'deciding':
      return 'Choosing who answers'
    case 'speaking': {
      const seconds = Math.max(0, Math.round((now - state.since) / 1_000))
      const doing = state.tool === null ? 'is answering' : `is running ${state.tool}`
      return `${who(state.bot).name} ${doing}${seconds >= 3 ? ` (${seconds} s)` : ''}`
    }
    case 'quiet':
      return quietSentence(typing, waiting, who)
  }
}

function quietSentence(
  typing: readonly Who[],
  waiting: readonly BotRequest[],
  who: (id: string) => Who,
): string {
  const names = typing.map(({ name }) => name)
  if (names.length > 0) return `${list(names)} ${names.length === 1 ? 'is' : 'are'} typing`
  const bots = [...new Set(waiting.map(({ bot }) => who(bot).name))]
  if (bots.length > 0) return `${list(bots)} ${bots.length === 1 ? 'waits' : 'wait'} for a turn`
  return ''
}

const list = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
