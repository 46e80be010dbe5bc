import type { FeedEvent, FeedStatus } from '@arbe/sdk'

/** Where the tab that leads takes the feed from. */
export interface FeedFrom {
  readonly signal: AbortSignal
  readonly lastEventId?: string
  readonly onStatus: (status: FeedStatus) => void
  readonly onPosition: (lastEventId: string) => void
}

export interface SharedFeedOptions {
  /** Tabs of one name share one stream: that of one person in one house. */
  readonly name: string
  readonly follow: (from: FeedFrom) => AsyncIterable<FeedEvent>
  readonly onEvent: (event: FeedEvent) => void
  readonly onStatus: (status: FeedStatus) => void
  readonly signal: AbortSignal
  /** Undefined in a browser without Web Locks, or on a page that is not secure: each tab has its own stream. */
  readonly locks: LockManager | undefined
  /** How often a tab asks whether the leading one still lives, and how long it waits for the answer. */
  readonly asksEveryMs?: number
}

/** What a tab says to the others: the one that leads tells, the others ask. */
type Word =
  | { readonly type: 'ask' }
  | { readonly type: 'status'; readonly status: FeedStatus; readonly position: string | undefined }
  | { readonly type: 'event'; readonly event: FeedEvent; readonly position: string | undefined }

/**
 * One stream a browser, however many tabs: six streams to one origin would block everything else on HTTP/1.1. The tab that holds
 * the lock reads and passes on; when it goes, the next one reads on from the same place. Ends with the signal.
 */
export async function shareFeed(options: SharedFeedOptions): Promise<void> {
  if (options.locks === undefined) {
    const reader = new FeedReader(options, undefined)
    return await reader.read(options.signal)
  }
  const channel = new BroadcastChannel(options.name)
  try {
    await takeTurns(options, options.locks, new FeedReader(options, channel))
  } finally {
    channel.close()
  }
}

async function takeTurns(
  options: SharedFeedOptions,
  locks: LockManager,
  reader: FeedReader,
): Promise<void> {
  const { signal, name, asksEveryMs = 20_000 } = options
  while (!signal.aborted) {
    const watch = reader.watchLeader(asksEveryMs)
    // A lock that is taken away does not end what runs under it.
    const lost = new AbortController()
    const lead = (): Promise<void> => {
      watch.stop()
      return reader.read(AbortSignal.any([signal, lost.signal]))
    }
    try {
      await locks.request(name, { signal: AbortSignal.any([signal, watch.silent]) }, lead)
    } catch (error) {
      if (!isAbort(error)) throw error
      if (watch.silent.aborted && !isOver(signal)) await takeOver(locks, name, lead)
    } finally {
      watch.stop()
      lost.abort()
    }
  }
}

/** The tab that leads is frozen or hangs: its lock is taken from it, and when it wakes it waits like the others. */
async function takeOver(
  locks: LockManager,
  name: string,
  lead: () => Promise<void>,
): Promise<void> {
  try {
    await locks.request(name, { steal: true }, lead)
  } catch (error) {
    if (!isAbort(error)) throw error
  }
}

const isOver = (signal: AbortSignal): boolean => signal.aborted

const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

/** One tab's part: it reads for all, or hears what another reads, and knows how far it has come either way. */
class FeedReader {
  readonly #options: SharedFeedOptions
  readonly #channel: BroadcastChannel | undefined
  #position: string | undefined
  #status: FeedStatus = 'connecting'
  #leads = false
  #heard = 0

  constructor(options: SharedFeedOptions, channel: BroadcastChannel | undefined) {
    this.#options = options
    this.#channel = channel
    channel?.addEventListener('message', ({ data }: MessageEvent<Word>) => this.#hear(data))
  }

  async read(signal: AbortSignal): Promise<void> {
    this.#leads = true
    try {
      const events = this.#options.follow({
        signal,
        ...(this.#position === undefined ? {} : { lastEventId: this.#position }),
        onStatus: (status) => this.#setStatus(status),
        onPosition: (position) => (this.#position = position),
      })
      for await (const event of events) {
        this.#options.onEvent(event)
        this.#say({ type: 'event', event, position: this.#position })
      }
    } finally {
      this.#leads = false
    }
  }

  /** Asks at once and then again and again; `silent` aborts when two questions in a row got no word. */
  watchLeader(everyMs: number): { readonly silent: AbortSignal; readonly stop: () => void } {
    const silence = new AbortController()
    let heard = this.#heard
    let unanswered = 0
    this.#say({ type: 'ask' })
    const timer = setInterval(() => {
      unanswered = this.#heard === heard ? unanswered + 1 : 0
      heard = this.#heard
      if (unanswered > 1) silence.abort()
      this.#say({ type: 'ask' })
    }, everyMs)
    return { silent: silence.signal, stop: () => clearInterval(timer) }
  }

  #hear(word: Word): void {
    if (word.type === 'ask') {
      if (this.#leads) this.#sayStatus()
      return
    }
    if (this.#leads) return
    this.#heard += 1
    this.#position = word.position
    if (word.type === 'event') this.#options.onEvent(word.event)
    else if (word.status !== this.#status) this.#setStatus(word.status)
  }

  #setStatus(status: FeedStatus): void {
    this.#status = status
    this.#options.onStatus(status)
    if (this.#leads) this.#sayStatus()
  }

  #sayStatus(): void {
    this.#say({ type: 'status', status: this.#status, position: this.#position })
  }

  #say(word: Word): void {
    this.#channel?.postMessage(word)
  }
}
