/** Nobody reads an answer any more. No fault of the house, so no log tells of it. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
  constructor() {
    super('whoever asked has gone')
  }
}

/** Aborts when the connection is lost over which something was asked. */
export function untilCallerGone({ signal }: Request): AbortSignal {
  const gone = new AbortController()
  const end = (): void => gone.abort(new CallerGone())
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return gone.signal
}
