import type { Offset, ThreadId } from '@arbe/sdk'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Database, Executor } from '../db/executor.ts'
import { type BusMessage, fitPayloads, parsePayload, toPayload } from './bus-payload.ts'
import { type EphemeralEvent, ephemeralOutbox } from './ephemeral-outbox.ts'
import { paced } from './paced.ts'

/** The thread has entries up to `seq`; `wakes` when one of them has to be decided. */
export interface AppendHint {
  readonly threadId: ThreadId
  readonly seq: Offset
  readonly wakes: boolean
}

export interface BusListener {
  /** `here`: by this process. */
  onAppended?(hint: AppendHint, from: 'here' | 'elsewhere'): void
  onEvent?(event: EphemeralEvent): void
}

/**
 * Tells every process on this database what just happened. All of it is a hint that may be lost: who follows threads also looks by
 * itself, and what was said lasts as an entry.
 */
export interface LiveBus {
  /** To be called after the commit. */
  appended(hint: AppendHint): void
  publish(event: EphemeralEvent): void
  listen(listener: BusListener): () => void
  close(): Promise<void>
}

const CHANNEL = 'arbe_live'
// So long does a free decision take at most on a server that rests: a message and what was decided on it are told at once.
const HINTS_AFTER_MS = 8
const EVENTS_EVERY_MS = 80

export async function openLiveBus(database: Database): Promise<LiveBus> {
  const from = randomUUID()
  const listeners = new Set<BusListener>()
  const hints = new Map<ThreadId, AppendHint>()
  const outbox = ephemeralOutbox()

  function deliver(
    { hints: all, events }: Pick<BusMessage, 'hints' | 'events'>,
    by: 'here' | 'elsewhere',
  ): void {
    for (const listener of listeners) {
      for (const hint of all) listener.onAppended?.(hint, by)
      for (const event of events) listener.onEvent?.(event)
    }
  }

  // An embedded database has no other process to tell.
  const isAlone = database.engine === 'pglite'
  const stop = isAlone
    ? undefined
    : await database.listen(CHANNEL, (payload) => {
        const message = parsePayload(payload)
        if (message !== undefined && message.from !== from) deliver(message, 'elsewhere')
      })

  const hintFlush = paced(
    async () => {
      await sleep(HINTS_AFTER_MS)
      const all = [...hints.values()]
      hints.clear()
      await notify(database, fitPayloads(from, all))
    },
    () => 0,
  )
  const eventFlush = paced(
    async () => {
      const events = outbox.take()
      deliver({ hints: [], events }, 'here')
      if (!isAlone) await notify(database, [toPayload(from, events)])
    },
    () => EVENTS_EVERY_MS,
  )

  return {
    appended(hint) {
      deliver({ hints: [hint], events: [] }, 'here')
      if (isAlone) return
      const before = hints.get(hint.threadId)
      hints.set(hint.threadId, before === undefined ? hint : laterOf(before, hint))
      hintFlush.touch()
    },
    publish(event) {
      outbox.put(event)
      eventFlush.touch()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      await Promise.all([hintFlush.close(), eventFlush.close(), stop?.()])
    },
  }
}

function laterOf(a: AppendHint, b: AppendHint): AppendHint {
  return { ...(a.seq > b.seq ? a : b), wakes: a.wakes || b.wakes }
}

async function notify(executor: Executor, payloads: readonly string[]): Promise<void> {
  const sent = executor.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [
    CHANNEL,
    payloads,
  ])
  // Hints may be lost, and whoever is cut off from the database has louder ways to notice.
  await sent.catch(() => undefined)
}
