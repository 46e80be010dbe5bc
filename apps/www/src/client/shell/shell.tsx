import { useState } from 'react'
import { Link, Redirect, Route, Switch } from 'wouter'
import { BotScreen } from '../bots/bot-screen.tsx'
import { FileScreen } from '../files/file-screen.tsx'
import { useHouse } from '../house/use-house.ts'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { ThreadScreen } from '../thread/thread-screen.tsx'
import { NewThread } from '../threads/new-thread.tsx'
import { FeedNotice, Screen } from './screen.tsx'

/** The frame: threads at the left, the screen at the right; on a phone one of the two. */
export function Shell() {
  const [menu, setMenu] = useState(false)
  const close = () => setMenu(false)
  return (
    <div className="flex h-dvh">
      <aside
        className={`${menu ? 'fixed inset-0 z-20 flex' : 'hidden'} bg-panel border-line w-full flex-col border-r md:static md:flex md:w-72`}
      >
        <Sidebar onPick={close} />
      </aside>
      <main className="flex min-w-0 flex-1 flex-col">
        <FeedNotice />
        <Switch>
          <Route path="/t/:id">
            {({ id }) => <ThreadScreen key={id} id={id} onMenu={() => setMenu(true)} />}
          </Route>
          <Route path="/new">
            <NewThread onMenu={() => setMenu(true)} />
          </Route>
          <Route path="/bots/:id?">
            {({ id }) => <BotScreen key={id ?? 'all'} id={id} onMenu={() => setMenu(true)} />}
          </Route>
          <Route path="/files">
            <FileScreen onMenu={() => setMenu(true)} />
          </Route>
          <Route>
            <Home onMenu={() => setMenu(true)} />
          </Route>
        </Switch>
      </main>
    </div>
  )
}

/** The newest thread, or a word on how to begin. */
function Home({ onMenu }: { readonly onMenu: () => void }) {
  const [newest] = useHouse().threads
  if (newest !== undefined) return <Redirect to={`/t/${newest.id}`} replace />
  return (
    <Screen title="Welcome" onMenu={onMenu}>
      <div className="p-8">
        <p className="text-soft mb-4">Nobody talks here yet.</p>
        <Link href="/new" className="button-primary">
          New thread
        </Link>
      </div>
    </Screen>
  )
}
