import { sayState, type StateLineParts } from './say-state.ts'

export interface StateLineProps extends StateLineParts {
  readonly onStop: () => void
}

/** What the thread is doing now, in one line under the messages. Its place is kept when there is nothing to say. */
export function StateLine({ onStop, ...parts }: StateLineProps) {
  const isBusy = parts.state.status !== 'quiet'
  return (
    <div className="mx-auto flex h-9 w-full max-w-3xl shrink-0 items-center gap-3 px-4 text-sm md:px-6">
      <p
        data-state={parts.state.status}
        className="text-soft flex min-w-0 flex-1 items-center gap-2"
      >
        {isBusy && (
          <span aria-hidden className="bg-accent size-2 shrink-0 animate-pulse rounded-full" />
        )}
        <span className="truncate">{sayState(parts)}</span>
      </p>
      {isBusy && (
        <button className="button px-2 py-0.5" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  )
}
