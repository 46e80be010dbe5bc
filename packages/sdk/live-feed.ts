import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { FeedEvent } from './api.ts'

export type FeedStatus = 'connecting' | 'live' | 'waiting'

export interface FeedOptions {
  /** Opens GET /v1/feed; resolves with the response, whatever its status. */
  readonly open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>
  readonly signal: AbortSignal
  /** Where to go on; undefined: from now. */
  readonly lastEventId?: string | undefined
  readonly onStatus?: (status: FeedStatus) => void
  /** Told before the event that stands there is given out: from here another reader can go on. */
  readonly onPosition?: (lastEventId: string) => void
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A refusal that no new connection mends: the token is gone or may not read. */
export class FeedRefused extends Error {
  override readonly name = 'FeedRefused'
  readonly status: number
  constructor(status: number) {
    super(`the live feed was refused (${status})`)
    this.status = status
  }
}

const SILENT_MS = 45_000
const LONGEST_PAUSE_MS = 10_000

/**
 * Follows the one live feed for as long as the signal lives: reconnects by itself, resumes after the last event it gave out, and so
 * loses and doubles no entry. The server sends something at least every 15 s; three missed beats end a dead connection.
 */
export async function* followFeed(options: FeedOptions): AsyncGenerator<FeedEvent, void> {
  const pause = options.pause ?? pauseFor
  let lastEventId = options.lastEventId
  let failures = 0
  while (!options.signal.aborted) {
    options.onStatus?.('connecting')
    try {
      for await (const message of connection(options, lastEventId)) {
        failures = 0
        if (message.id !== undefined) {
          lastEventId = message.id
          options.onPosition?.(lastEventId)
        }
        if (message.event !== undefined) yield message.event
      }
    } catch (error) {
      if (error instanceof FeedRefused) throw error
    }
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- it aborts while the connection is read
    if (options.signal.aborted) return
    options.onStatus?.('waiting')
    failures += 1
    const longest = Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures)
    // Half of it at random: a thousand readers of a restarted server do not come back at once.
    await pause(longest / 2 + (Math.random() * longest) / 2, options.signal)
  }
}

interface FeedMessage {
  readonly id: string | undefined
  readonly event: FeedEvent | undefined
}

async function* connection(
  options: FeedOptions,
  lastEventId: string | undefined,
): AsyncGenerator<FeedMessage, void> {
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const watchdog = new Watchdog(SILENT_MS, () => silence.abort())
  try {
    const response = await options.open({ accept: 'text/event-stream', ...headers }, signal)
    if (isRefusal(response.status)) throw new FeedRefused(response.status)
    if (!response.ok || response.body === null) throw new Error(`feed answered ${response.status}`)
    options.onStatus?.('live')
    const beats = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        watchdog.beat()
        controller.enqueue(chunk)
      },
    })
    const messages = response.body
      .pipeThrough(beats)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const message of readable(messages)) {
      yield { id: message.id, event: message.data === '' ? undefined : toEvent(message.data) }
    }
  } finally {
    watchdog.stop()
    silence.abort()
  }
}

/** Of the client's errors, these two pass by themselves. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function toEvent(data: string): FeedEvent {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the house's own server wrote it; parsing it again would ship the schema library
  return JSON.parse(data) as FeedEvent
}

/** Not every browser's ReadableStream is async-iterable. */
async function* readable<Item>(stream: ReadableStream<Item>): AsyncGenerator<Item, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

class Watchdog {
  readonly #ms: number
  readonly #bark: () => void
  #timer: ReturnType<typeof setTimeout>
  constructor(ms: number, bark: () => void) {
    this.#ms = ms
    this.#bark = bark
    this.#timer = setTimeout(bark, ms)
  }
  beat(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#bark, this.#ms)
  }
  stop(): void {
    clearTimeout(this.#timer)
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
