import { toOffset, toThreadId } from '@arbe/sdk'
import { z } from 'zod'

import type { EphemeralEvent } from './ephemeral-outbox.ts'
import type { AppendHint } from './live-bus.ts'

// Postgres takes 8,000 bytes a notification.
const MAX_BYTES = 7_000

export interface BusMessage {
  /** The process that sent it, which has heard it already. */
  readonly from: string
  readonly hints: readonly AppendHint[]
  readonly events: readonly EphemeralEvent[]
}

const MessageSchema = z.object({
  from: z.string(),
  hints: z.array(
    z.object({
      threadId: z.string().transform(toThreadId),
      seq: z.number().transform(toOffset),
      wakes: z.boolean(),
    }),
  ),
  events: z.array(z.custom<EphemeralEvent>((event) => EventSchema.safeParse(event).success)),
})
const EventSchema = z.looseObject({
  type: z.enum(['delta', 'state', 'typing', 'stop']),
  threadId: z.string(),
})

/** As many payloads as the hints need. */
export function fitPayloads(from: string, hints: readonly AppendHint[]): readonly string[] {
  const payload = JSON.stringify({ from, hints, events: [] })
  if (Buffer.byteLength(payload) <= MAX_BYTES) return [payload]
  const half = Math.ceil(hints.length / 2)
  return [...fitPayloads(from, hints.slice(0, half)), ...fitPayloads(from, hints.slice(half))]
}

/** One payload with the events that fit into it, short ones first: a state or a stop is never crowded out by texts. */
export function toPayload(from: string, events: readonly EphemeralEvent[]): string {
  let room = MAX_BYTES - Buffer.byteLength(JSON.stringify({ from, hints: [], events: [] }))
  const fitting = events
    .map((event) => ({ event, bytes: Buffer.byteLength(JSON.stringify(event)) + 1 }))
    .toSorted((a, b) => a.bytes - b.bytes)
    .filter(({ bytes }) => (room -= bytes) >= 0)
  return JSON.stringify({ from, hints: [], events: fitting.map(({ event }) => event) })
}

/** Undefined for what no arbe of this kind has sent. */
export function parsePayload(payload: string): BusMessage | undefined {
  try {
    return MessageSchema.parse(JSON.parse(payload))
  } catch {
    return undefined
  }
}
