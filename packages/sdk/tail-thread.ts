import type { ArbeClient } from './client.ts'
import type { Entry } from './entries.ts'

export interface TailOptions {
  /** The position behind which reading begins; 0 gives the whole thread. */
  readonly after: number
  readonly signal: AbortSignal
}

const PAGE = 200

/**
 * Every entry of a thread behind a position, in order and once, and then each new one as it comes. The feed only says that there is
 * something: what is given out is read by position, so that no lost connection can lose or double an entry.
 */
export async function* tailThread(
  client: ArbeClient,
  threadId: string,
  { after, signal }: TailOptions,
): AsyncGenerator<Entry, void> {
  const bell = createBell(signal)
  const ended = new AbortController()
  const following = follow(client, threadId, {
    signal: AbortSignal.any([signal, ended.signal]),
    ring: bell.ring,
  })
  let failed: Error | undefined
  following.catch((error: unknown) => {
    failed = error instanceof Error ? error : new Error(String(error))
    bell.ring()
  })
  let last = after
  try {
    while (!signal.aborted) {
      const page = await client.threads.entries(threadId, { after: last, limit: PAGE })
      for (const entry of page.entries) {
        last = entry.seq
        yield entry
      }
      if (failed !== undefined) throw failed
      if (!page.more) await bell.heard()
    }
  } finally {
    ended.abort()
  }
}

async function follow(
  client: ArbeClient,
  threadId: string,
  { signal, ring }: { readonly signal: AbortSignal; readonly ring: () => void },
): Promise<void> {
  const onStatus = (status: string): void => {
    if (status === 'live') ring()
  }
  for await (const event of client.feed({ signal, onStatus })) {
    if (event.type === 'reset') ring()
    if (event.type === 'entry' && event.entry.threadId === threadId) ring()
  }
}

/** A ring while nobody listens is heard by the next who does. */
function createBell(signal: AbortSignal) {
  let next = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => next.resolve())
  return {
    ring: () => next.resolve(),
    async heard() {
      await next.promise
      next = Promise.withResolvers<void>()
      if (signal.aborted) next.resolve()
    },
  }
}
