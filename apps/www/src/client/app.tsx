import { FeedRefused } from '@arbe/sdk/live-feed'
import { ApiError } from '@arbe/sdk/client'
import { useEffect, useState } from 'react'
import { Route, Switch } from 'wouter'
import { HouseContext, useHouse, useStore } from './house/use-house.ts'
import type { HouseStore } from './house/house-store.ts'
import { JoinScreen, SignedOut } from './people/join-screen.tsx'
import { Shell } from './shell/shell.tsx'

export function App({ store }: { readonly store: HouseStore }) {
  return (
    <HouseContext value={store}>
      <Switch>
        <Route path="/join/:token">{({ token }) => <JoinScreen token={token} />}</Route>
        <Route>
          <House />
        </Route>
      </Switch>
    </HouseContext>
  )
}

/** Signs in by the cookie, then follows the live feed for as long as the page is open. */
function House() {
  const store = useStore()
  const { me } = useHouse()
  const [refused, setRefused] = useState<string>()
  useEffect(() => {
    const control = new AbortController()
    live(store, control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) setRefused(reasonOf(error))
    })
    return () => control.abort()
  }, [store])
  if (refused !== undefined) return <SignedOut reason={refused} />
  if (me === undefined) return <p className="text-soft p-8">Opening the house…</p>
  return <Shell />
}

async function live(store: HouseStore, signal: AbortSignal): Promise<void> {
  await store.loadMe()
  await store.loadThreads()
  for await (const event of store.client.feed({ signal, onStatus: store.onFeedStatus })) {
    await store.take(event)
  }
}

function reasonOf(error: unknown): string {
  const refused =
    (error instanceof ApiError && error.status === 401) ||
    (error instanceof FeedRefused && error.status === 401)
  if (refused) return ''
  return error instanceof Error ? error.message : String(error)
}
