import type { Actor } from '@arbe/core/access/authorship'
import type { TailBatch, TailReader, Tailing } from '@arbe/core/streams/live-tail'
import type { Entry, EntryOf, FeedEvent, Offset, ThreadId } from '@arbe/sdk'
import type { FeedCursor } from './feed-cursor.ts'
import type { FeedStart } from './feed-start.ts'

/** What may wait for a slow reader before it is closed; it comes back from where it stood. */
const BUFFER_BYTES = 1024 * 1024

const encoder = new TextEncoder()
export const BEAT = encoder.encode(': beat\n\n')
const RESET = encoder.encode('data: {"type":"reset"}\n\n')

/** All readers of an entry get the same text: it is written once. */
const texts = new WeakMap<Entry, string>()

function textOf(entry: Entry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const text = JSON.stringify({ type: 'entry', entry } satisfies FeedEvent)
  texts.set(entry, text)
  return text
}

/** Feeds that stand at one place are sent the same bytes, by that place: with hundreds of readers, writing them is the work. */
const written = new WeakMap<TailBatch, Map<string, Uint8Array>>()

function framesOf(batch: TailBatch): Map<string, Uint8Array> {
  const known = written.get(batch) ?? new Map<string, Uint8Array>()
  written.set(batch, known)
  return known
}

export function encodeEvent(event: object): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
}

export interface FeedParts {
  readonly reader: Actor
  readonly start: FeedStart
  readonly open: (reader: TailReader) => Tailing
  readonly onClosed: (feed: LiveFeed) => void
  /** An entry said that its reader left the thread; they may have come back since. */
  readonly onLeft: (
    feed: LiveFeed,
    thread: { readonly threadId: ThreadId; readonly after: Offset },
  ) => void
}

/** One connection: everything said in every thread its reader is in, and what passes by meanwhile. */
export class LiveFeed {
  readonly reader: Actor
  readonly stream: ReadableStream<Uint8Array>
  readonly #cursor: FeedCursor
  readonly #threads = new Set<ThreadId>()
  readonly #tailing: Tailing
  readonly #onClosed: FeedParts['onClosed']
  readonly #onLeft: FeedParts['onLeft']
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor({ reader, start, open, onClosed, onLeft }: FeedParts) {
    this.reader = reader
    this.#cursor = start.cursor
    this.#onClosed = onClosed
    this.#onLeft = onLeft
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    )
    // A reader that hears nothing after this still comes back to this place.
    this.send(encoder.encode(`id: ${this.#cursor.toText()}\ndata:\n\n`))
    if (start.isReset) this.send(RESET)
    this.#tailing = open({
      deliver: (batch) => this.#deliver(batch),
      onDropped: () => this.close(),
    })
    for (const { threadId, after } of start.threads) this.follow(threadId, after)
  }

  follows(threadId: ThreadId): boolean {
    return this.#threads.has(threadId)
  }

  follow(threadId: ThreadId, after: Offset): void {
    this.#threads.add(threadId)
    this.#tailing.follow({ houseId: this.reader.houseId, threadId }, after)
  }

  /** False: the reader is gone, or so much waits for it already that this was not added. */
  send(bytes: Uint8Array): boolean {
    if ((this.#controller?.desiredSize ?? 0) <= 0) return false
    this.#controller?.enqueue(bytes)
    return true
  }

  /** What is stored nowhere gives way first. */
  sendPassing(bytes: Uint8Array): void {
    if ((this.#controller?.desiredSize ?? 0) > BUFFER_BYTES / 2) this.send(bytes)
  }

  close(): void {
    this.#controller?.close()
    this.#end()
  }

  #end(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    this.#tailing[Symbol.dispose]()
    this.#onClosed(this)
  }

  #deliver(batch: TailBatch): boolean {
    const place = batch.entries.some(changesMembers) ? undefined : this.#cursor.toWholeText()
    if (place === undefined) return this.send(this.#write(batch))
    const known = framesOf(batch).get(place)
    if (known === undefined) {
      const frames = this.#write(batch)
      framesOf(batch).set(place, frames)
      return this.send(frames)
    }
    for (const entry of batch.entries) this.#cursor.advance(entry)
    return this.send(known)
  }

  /** Moves past the entries, one after the other: whose connection breaks between two of them goes on there. */
  #write({ threadId, entries }: TailBatch): Uint8Array {
    let frames = ''
    for (const entry of entries) {
      this.#cursor.advance(entry)
      frames += `id: ${this.#cursor.toText()}\ndata: ${textOf(entry)}\n\n`
      if (!isRemovalOf(entry, this.reader)) continue
      this.#leave(threadId, entry.seq)
      break
    }
    return encoder.encode(frames)
  }

  /** The entry that says so is the last one that is theirs to read, unless they came back. */
  #leave(threadId: ThreadId, after: Offset): void {
    this.#threads.delete(threadId)
    this.#tailing.unfollow(threadId)
    this.#onLeft(this, { threadId, after })
  }
}

type MembersEntry = EntryOf<'thread.people' | 'thread.bots'>

function changesMembers(entry: Entry): entry is MembersEntry {
  return entry.kind === 'thread.people' || entry.kind === 'thread.bots'
}

function isRemovalOf(entry: Entry, { id }: Actor): boolean {
  return changesMembers(entry) && entry.body.removed.includes(id)
}
