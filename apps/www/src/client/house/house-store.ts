import type { ArbeClient, FeedEvent, FeedStatus } from '@arbe/sdk'
import { join } from './entry-log.ts'
import { applyEvent, emptyHouse, type Errand, type HouseState, update } from './house-state.ts'

const PAGE = 100

/** Holds what this page knows of the house, keeps it current by the live feed, and tells the view of each change. */
export class HouseStore {
  readonly client: ArbeClient
  readonly #listeners = new Set<() => void>()
  #state: HouseState = emptyHouse

  constructor(client: ArbeClient) {
    this.client = client
  }

  readonly getState = (): HouseState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async loadMe(): Promise<void> {
    const me = await this.client.me()
    this.#set({ ...this.#state, me })
  }

  async loadThreads(): Promise<void> {
    const { threads } = await this.client.threads.list()
    this.#set({ ...this.#state, threads })
  }

  /** Loads a thread and the last page of its entries; what the feed brought meanwhile is joined, not overwritten. */
  async openThread(id: string): Promise<void> {
    if (this.#state.open.has(id)) return
    const [thread, page, state] = await Promise.all([
      this.client.threads.get(id),
      this.client.threads.entries(id, { limit: PAGE }),
      this.client.threads.state(id),
    ])
    const log = { entries: page.entries, older: page.more }
    const open = { thread, log, state, live: undefined, typing: new Map() }
    this.#set({ ...this.#state, open: new Map([...this.#state.open, [id, open]]) })
    // The feed may have brought entries between the page and this line, for a thread that was not open yet.
    await this.#readOn(id)
  }

  async loadOlder(id: string): Promise<void> {
    const first = this.#state.open.get(id)?.log.entries.at(0)
    if (first === undefined) return
    const page = await this.client.threads.entries(id, { before: first.seq, limit: PAGE })
    this.#set(
      update(this.#state, id, ({ log }) => ({
        log: join(log, { entries: page.entries, older: page.more }),
      })),
    )
  }

  async reloadThread(id: string): Promise<void> {
    const thread = await this.client.threads.get(id)
    this.#set(update(this.#state, id, () => ({ thread })))
  }

  readonly onFeedStatus = (feed: FeedStatus): void => {
    this.#set({ ...this.#state, feed })
  }

  /** Takes one event of the live feed. */
  async take(event: FeedEvent): Promise<void> {
    const { house, errands } = applyEvent(this.#state, event, Date.now())
    this.#set(house)
    for (const errand of errands) await this.#run(errand)
  }

  async #run(errand: Errand): Promise<void> {
    switch (errand.type) {
      case 'read_on':
        return await this.#readOn(errand.threadId)
      case 'reload_thread':
        return await this.reloadThread(errand.threadId)
      case 'reload_threads':
        return await this.loadThreads()
      case 'begin_anew':
        await this.loadThreads()
        await Promise.all(errand.open.map((id) => this.openThread(id)))
    }
  }

  async #readOn(id: string): Promise<void> {
    for (;;) {
      const after = this.#state.open.get(id)?.log.entries.at(-1)?.seq ?? 0
      const page = await this.client.threads.entries(id, { after, limit: PAGE })
      this.#set(
        update(this.#state, id, ({ log }) => ({ log: join(log, { entries: page.entries }) })),
      )
      if (!page.more) return
    }
  }

  #set(state: HouseState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
