import { ApiError } from '@arbe/sdk/client'
import { FeedRefused } from '@arbe/sdk/live-feed'
import { useEffect, useState } from 'react'
import { Route, Switch } from 'wouter'
import type { HouseStore } from './house/house-store.ts'
import { liveHouse } from './house/live-house.ts'
import { HouseContext, useHouse, useStore } from './house/use-house.ts'
import { JoinScreen } from './people/join-screen.tsx'
import { SignedOut } from './people/signed-out.tsx'
import { messageOf } from './shell/message-of.ts'
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

function House() {
  const store = useStore()
  const { me } = useHouse()
  const [refused, setRefused] = useState<unknown>()
  useEffect(() => {
    const control = new AbortController()
    liveHouse(store, control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) setRefused(error)
    })
    return () => control.abort()
  }, [store])
  if (refused !== undefined) {
    return <SignedOut reason={isSignedOut(refused) ? undefined : messageOf(refused)} />
  }
  if (me === undefined) return <p className="text-soft p-8">Opening the house…</p>
  return <Shell />
}

function isSignedOut(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof FeedRefused) && error.status === 401
}
