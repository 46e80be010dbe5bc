import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, escapeIdentifier } from 'pg'

import type { Database } from './executor.ts'

type OnPayload = (payload: string) => void

export interface PostgresListener {
  readonly listen: Database['listen']
  close(): Promise<void>
}

/**
 * One connection for every channel, opened with the first. When it is lost it is opened again, and what was notified in between
 * is lost: listeners treat a notification as a hint.
 */
export function listenOn(config: ClientConfig): PostgresListener {
  const channels = new Map<string, Set<OnPayload>>()
  const ended = new AbortController()
  let client: Client | undefined
  let opening: Promise<void> | undefined

  async function open(): Promise<void> {
    for (let wait = 50; !ended.signal.aborted; wait = Math.min(wait * 2, 2_000)) {
      const next = new Client(config)
      if (await connects(next, channels)) {
        client = next
        next.once('end', reopen)
        return
      }
      await sleep(wait, undefined, { signal: ended.signal }).catch(() => undefined)
    }
  }

  function reopen(): void {
    client = undefined
    opening = ended.signal.aborted ? undefined : open()
  }

  return {
    async listen(channel, onPayload) {
      const listeners = channels.get(channel) ?? new Set()
      const isNew = listeners.size === 0
      channels.set(channel, listeners.add(onPayload))
      opening ??= open()
      await opening
      // A connection that is lost just now asks for every channel when it is back.
      if (isNew) await client?.query(`listen ${escapeIdentifier(channel)}`).catch(() => undefined)
      return async () => {
        listeners.delete(onPayload)
      }
    },
    async close() {
      ended.abort()
      await opening
      await client?.end()
    },
  }
}

async function connects(
  client: Client,
  channels: ReadonlyMap<string, ReadonlySet<OnPayload>>,
): Promise<boolean> {
  // The end of the connection follows an error and is what counts.
  client.on('error', () => undefined)
  client.on('notification', ({ channel, payload }) => {
    for (const onPayload of channels.get(channel) ?? []) onPayload(payload ?? '')
  })
  try {
    await client.connect()
    for (const channel of channels.keys()) {
      await client.query(`listen ${escapeIdentifier(channel)}`)
    }
    return true
  } catch {
    await client.end().catch(() => undefined)
    return false
  }
}
