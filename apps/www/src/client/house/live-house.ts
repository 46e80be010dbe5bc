import type { HouseStore } from './house-store.ts'
import { shareFeed } from './shared-feed.ts'

/** Signs in by the cookie, then keeps the store current for as long as the signal lives. */
export async function liveHouse(store: HouseStore, signal: AbortSignal): Promise<void> {
  await Promise.all([store.loadMe(), store.loadThreads()])
  const onShow = (): void => {
    if (document.visibilityState === 'visible') store.catchUp()
  }
  const onStorage = ({ key }: StorageEvent): void => {
    if (key === 'read') store.takeMarks()
  }
  document.addEventListener('visibilitychange', onShow, { signal })
  addEventListener('storage', onStorage, { signal })
  await shareFeed({
    name: `arbe-feed:${store.getState().me?.person.id ?? ''}`,
    follow: (from) => store.client.feed(from),
    onEvent: store.take,
    onStatus: store.onFeedStatus,
    signal,
    locks: 'locks' in navigator ? navigator.locks : undefined,
  })
}
