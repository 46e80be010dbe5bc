import type { Entry } from '@arbe/sdk'

/** A message on its way. Its key makes it stored once, however often it is sent. */
export interface Unsent {
  readonly key: string
  readonly text: string
  readonly replyTo: number | undefined
  /** Undefined while it is sent. */
  readonly error: string | undefined
}

export type Outbox = readonly Unsent[]

export function setError(outbox: Outbox, key: string, error: string | undefined): Outbox {
  return outbox.map((unsent) => (unsent.key === key ? { ...unsent, error } : unsent))
}

export function drop(outbox: Outbox, key: string): Outbox {
  return outbox.filter((unsent) => unsent.key !== key)
}

/** Without those that stand in the thread by now: the server's key of an entry ends with ours. */
export function withoutStored(outbox: Outbox, entries: readonly Entry[]): Outbox {
  if (outbox.length === 0) return outbox
  return outbox.filter(({ key }) => !entries.some((entry) => entry.key.endsWith(`:${key}`)))
}

export function keepOutbox(storage: Storage, threadId: string, outbox: Outbox): void {
  if (outbox.length === 0) storage.removeItem(keyOf(threadId))
  else storage.setItem(keyOf(threadId), JSON.stringify(outbox))
}

const UNKNOWN = 'The page was closed while this was sent. Sent again it cannot appear twice.'

/** What a reload left: whether it arrived is not known, so a person decides. */
export function takeOutbox(storage: Storage, threadId: string): Outbox {
  const kept: unknown = JSON.parse(storage.getItem(keyOf(threadId)) ?? '[]')
  if (!Array.isArray(kept)) return []
  return kept.filter(isUnsent).map((unsent) => ({ ...unsent, error: unsent.error ?? UNKNOWN }))
}

function isUnsent(value: unknown): value is Unsent {
  return typeof value === 'object' && value !== null && 'key' in value && 'text' in value
}

const keyOf = (threadId: string): string => `outbox:${threadId}`
