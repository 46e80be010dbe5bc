import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'

export interface FollowedFeed extends AsyncDisposable {
  /** As they came, by thread. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  /** Times the feed said that it had lost its place. */
  readonly resets: number
  /** Fulfilled when the last entry that came of each of these threads is this one. */
  reached(heads: ReadonlyMap<string, number>): Promise<void>
}

/** Reads the live feed of one client from now on; it is live when this returns. */
export async function followAll(client: ArbeClient): Promise<FollowedFeed> {
  const entries = new Map<string, Entry[]>()
  const live = Promise.withResolvers<void>()
  const ended = new AbortController()
  let news = Promise.withResolvers<void>()
  let resets = 0
  const reading = read()
  await live.promise
  return {
    entries,
    get resets() {
      return resets
    },
    async reached(heads) {
      const isBehind = ([id, head]: readonly [string, number]): boolean =>
        entries.get(id)?.at(-1)?.seq !== head
      while ([...heads].some(isBehind)) await news.promise
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      await reading
    },
  }

  async function read(): Promise<void> {
    const onStatus = (status: string): void => {
      if (status === 'live') live.resolve()
    }
    for await (const event of client.feed({ signal: ended.signal, onStatus })) {
      if (event.type === 'reset') resets += 1
      if (event.type === 'entry') {
        const { threadId } = event.entry
        const known = entries.get(threadId) ?? []
        known.push(event.entry)
        entries.set(threadId, known)
      }
      news.resolve()
      news = Promise.withResolvers()
    }
  }
}
