import { ApiError, type ArbeClient, type Page } from './client.ts'
import type { Entry } from './entries.ts'

export interface TailOptions {
  /** The position behind which reading begins; 0 gives the whole thread. */
  readonly after: number
  readonly signal: AbortSignal
}

const PAGE = 200
/** A house that is away for a moment is asked again when its feed is back, and after this at the latest. */
const AGAIN_MS = 2_000

/**
 * Every entry of a thread behind a position, in order and once, and then each new one as it comes. The feed only says that there is
 * something: what is given out is read by position, so that no lost connection can lose or double an entry. Throws when the house
 * refuses, or does not answer the very first time; after that it waits for a house that is away.
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
  let last: number | undefined
  try {
    while (!signal.aborted) {
      const page = await readPage(client, threadId, {
        after: last ?? after,
        isFirst: last === undefined,
      })
      last ??= after
      for (const entry of page?.entries ?? []) {
        last = entry.seq
        yield entry
      }
      if (failed !== undefined) throw failed
      if (page === undefined) await bell.heard(AGAIN_MS)
      else if (!page.more) await bell.heard()
    }
  } finally {
    ended.abort()
  }
}

/** Undefined: the house is away. */
async function readPage(
  client: ArbeClient,
  threadId: string,
  { after, isFirst }: { readonly after: number; readonly isFirst: boolean },
): Promise<Page | undefined> {
  try {
    return await client.threads.entries(threadId, { after, limit: PAGE })
  } catch (error) {
    if (isFirst || isRefusal(error)) throw error
    return undefined
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429
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
  const ring = (): void => next.resolve()
  signal.addEventListener('abort', ring)
  return {
    ring,
    async heard(atLatestMs?: number) {
      const timer = atLatestMs === undefined ? undefined : setTimeout(ring, atLatestMs)
      await next.promise
      clearTimeout(timer)
      next = Promise.withResolvers<void>()
      if (signal.aborted) ring()
    },
  }
}
