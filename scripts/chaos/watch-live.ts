import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { tailThread } from '@arbe/sdk/tail-thread'
import { setTimeout } from 'node:timers/promises'
import { followAll } from '../../test/support/follow-all.ts'
import type { ThreadLogs } from './thread-logs.ts'

export interface LiveWatch extends AsyncDisposable {
  /** Waits until all readers are where the logs are; what they have otherwise. */
  differing(): Promise<readonly string[]>
}

const PATIENCE_MS = 60_000

/** A feed of everything through each page server, and a tail of one thread, all open from before the first fault to the end. */
export async function watchLive(
  clients: readonly ArbeClient[],
  logs: ThreadLogs,
): Promise<LiveWatch> {
  const [tailed = ''] = logs.of.keys()
  await using opening = new AsyncDisposableStack()
  const feeds = await Promise.all(
    clients.map(async (client) => opening.use(await followAll(client))),
  )
  const tail: Entry[] = []
  const ended = new AbortController()
  const begun = Promise.withResolvers<void>()
  const tailing = Promise.all(clients.slice(0, 1).map(readTail))
  tailing.catch(begun.reject)
  opening.defer(async () => {
    ended.abort()
    await tailing
  })
  // From its first page on it waits for a house that is away.
  await begun.promise
  // What came before a feed was open it need not have.
  await logs.readOn()
  const before = new Map([...logs.of].map(([id, entries]) => [id, entries.length]))
  const open = opening.move()

  async function readTail(from: ArbeClient): Promise<void> {
    for await (const entry of tailThread(from, tailed, { after: 0, signal: ended.signal })) {
      tail.push(entry)
      begun.resolve()
    }
  }

  return {
    async differing() {
      const heads = new Map([...logs.of].map(([id, entries]) => [id, entries.length]))
      const moved = new Map([...heads].filter(([id, head]) => head > (before.get(id) ?? 0)))
      const late = setTimeout(PATIENCE_MS, 'late' as const, { ref: false })
      const found: string[] = []
      for (const [index, feed] of feeds.entries()) {
        const name = `the feed ${index + 1}`
        const is = await Promise.race([feed.reached(moved), late])
        if (is === 'late') found.push(`${name} did not come to the end of the log`)
        if (feed.resets > 0) found.push(`${name} lost its place ${feed.resets} times`)
        for (const [id, log] of logs.of) {
          const seen = feed.entries.get(id) ?? []
          const from = (seen[0]?.seq ?? log.length + 1) - 1
          if (from > (before.get(id) ?? 0) || !isEqual(seen, log.slice(from)))
            found.push(`${name} has ${id} otherwise than the log`)
        }
      }
      const log = logs.of.get(tailed) ?? []
      const deadline = performance.now() + PATIENCE_MS
      while (tail.length < log.length && performance.now() < deadline) await setTimeout(50)
      if (!isEqual(tail, log)) found.push(`the tail has ${tailed} otherwise than the log`)
      return found.map((line) => `I6: ${line}`)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function isEqual(left: readonly Entry[], right: readonly Entry[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
