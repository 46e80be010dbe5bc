import type { ArbeClient, FeedEvent, FeedStatus, Thread } from '@arbe/sdk'
import { join } from './entry-log.ts'
import { applyEvent, emptyHouse, type Errand, type HouseState, update } from './house-state.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { keepMarks, loadMarks, markRead } from './read-marks.ts'

const PAGE = 100

/** Holds what this page knows of the house, keeps it current by the live feed, and tells the view of each change. */
export class HouseStore {
  readonly client: ArbeClient
  readonly #storage: Storage
  readonly #listeners = new Set<() => void>()
  #state: HouseState = emptyHouse

  constructor(client: ArbeClient, storage: Storage) {
    this.client = client
    this.#storage = storage
  }

  readonly getState = (): HouseState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async loadMe(): Promise<void> {
    const me = await this.client.me()
    this.#set({ me })
  }

  async loadThreads(): Promise<void> {
    const { threads } = await this.client.threads.list()
    const { marks } = this.#state
    this.#set({ threads, marks: marks.size > 0 ? marks : loadMarks(this.#storage, threads) })
  }

  /** Loads a thread and the last page of its entries; what came meanwhile is read after it. */
  readonly openThread = oneAtATime(async (id) => {
    if (this.#state.open.has(id)) return
    const [thread, page, state] = await Promise.all([
      this.client.threads.get(id),
      this.client.threads.entries(id, { limit: PAGE }),
      this.client.threads.state(id),
    ])
    const log = { entries: page.entries, older: page.more }
    const open = { thread, log, state, live: undefined, typing: new Map() }
    this.#set({ open: new Map([...this.#state.open, [id, open]]) })
    // The feed passed by what it brought while the thread was not open yet.
    await this.#readOn(id)
  })

  readonly loadOlder = oneAtATime(async (id) => {
    const first = this.#state.open.get(id)?.log.entries.at(0)
    if (first === undefined) return
    const page = await this.client.threads.entries(id, { before: first.seq, limit: PAGE })
    this.#update(id, ({ log }) => ({
      log: join(log, { entries: page.entries, older: page.more }),
    }))
  })

  /** For what this page itself has just appended, should the feed be away. */
  readOn(id: string): void {
    if (this.#state.feed !== 'live') void this.#readOn(id).catch(leaveToCatchUp)
  }

  showThread(thread: Thread): void {
    this.#update(thread.id, () => ({ thread }))
  }

  markRead(threadId: string, seq: number): void {
    const marks = markRead(this.#state.marks, threadId, seq)
    if (marks !== this.#state.marks) this.#set({ marks })
  }

  /** Another tab of this browser has read on. */
  takeMarks(): void {
    this.#set({ marks: loadMarks(this.#storage, this.#state.threads) })
  }

  readonly onFeedStatus = (feed: FeedStatus): void => {
    const isBack = feed === 'live' && this.#state.feed !== 'live'
    this.#set({ feed })
    if (isBack) this.catchUp()
  }

  /** Takes one event of the live feed. */
  readonly take = (event: FeedEvent): void => {
    const { house, errands } = applyEvent(this.#state, event, Date.now())
    this.#set(house)
    for (const errand of errands) void this.#run(errand).catch(leaveToCatchUp)
  }

  /** Reads whatever the feed did not bring: before it stood, while it was away, or while the browser let this tab sleep. */
  readonly catchUp = (): void => {
    void this.loadThreads().catch(leaveToCatchUp)
    for (const id of this.#state.open.keys()) void this.#refresh(id).catch(leaveToCatchUp)
  }

  async #refresh(id: string): Promise<void> {
    await this.#readOn(id)
    const [thread, state] = await Promise.all([
      this.client.threads.get(id),
      this.client.threads.state(id),
    ])
    this.#update(id, () => ({ thread, state }))
  }

  async #run(errand: Errand): Promise<void> {
    switch (errand.type) {
      case 'read_on':
        return await this.#readOn(errand.threadId)
      case 'reload_thread':
        return this.showThread(await this.client.threads.get(errand.threadId))
      case 'reload_threads':
        return await this.loadThreads()
    }
  }

  readonly #readOn = oneAtATime(async (id) => {
    for (;;) {
      const after = this.#state.open.get(id)?.log.entries.at(-1)?.seq
      if (after === undefined) return
      const page = await this.client.threads.entries(id, { after, limit: PAGE })
      for (const entry of page.entries) this.take({ type: 'entry', entry })
      if (!page.more) return
    }
  })

  #update(id: string, change: Parameters<typeof update>[2]): void {
    this.#set(update(this.#state, id, change))
  }

  #set(change: Partial<HouseState>): void {
    const { marks } = this.#state
    this.#state = { ...this.#state, ...change }
    if (this.#state.marks !== marks) keepMarks(this.#storage, this.#state.marks)
    for (const listener of this.#listeners) listener()
  }
}

/** The network is away or the thread is no longer ours: a hole shows again with the next entry, and the feed's return fills it. */
function leaveToCatchUp(): void {}
