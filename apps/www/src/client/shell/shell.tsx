import { useState } from 'react'
import { Link, Redirect, Route, Switch } from 'wouter'
import { BotScreen } from '../bots/bot-screen.tsx'
import { EnvironmentScreen } from '../environments/environment-screen.tsx'
import { FileScreen } from '../files/file-screen.tsx'
import { useHouse } from '../house/use-house.ts'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { ThreadScreen } from '../thread/thread-screen.tsx'
import { NewThread } from '../threads/new-thread.tsx'
import { EmptyList } from './empty-list.tsx'
import { HouseNotices } from './house-notices.tsx'
import { MenuContext, Screen } from './screen.tsx'

/** The frame: threads at the left, the screen at the right; on a phone one of the two. */
export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <MenuContext value={() => setMenuOpen(true)}>
      <div className="flex h-dvh">
        <aside
          className={`${isMenuOpen ? 'fixed inset-0 z-20 flex' : 'hidden'} bg-panel border-line w-full flex-col border-r md:static md:flex md:w-72`}
        >
          <Sidebar onPick={() => setMenuOpen(false)} />
        </aside>
        <main className={`${isMenuOpen ? 'hidden md:flex' : 'flex'} min-w-0 flex-1 flex-col`}>
          <HouseNotices />
          <Screens />
        </main>
      </div>
    </MenuContext>
  )
}

function Screens() {
  return (
    <Switch>
      <Route path="/t/:id">{({ id }) => <ThreadScreen key={id} id={id} />}</Route>
      <Route path="/new">
        <NewThread />
      </Route>
      <Route path="/bots/:id?">{({ id }) => <BotScreen key={id ?? 'all'} id={id} />}</Route>
      <Route path="/environments">
        <EnvironmentScreen />
      </Route>
      <Route path="/files">
        <FileScreen />
      </Route>
      <Route>
        <Home />
      </Route>
    </Switch>
  )
}

/** The newest thread, or a word on how to begin. */
function Home() {
  const [newest] = useHouse().threads
  if (newest !== undefined) return <Redirect to={`/t/${newest.id}`} replace />
  return (
    <Screen title="Welcome">
      <EmptyList says="You are in no thread yet.">
        <Link href="/new" className="button-primary">
          New thread
        </Link>
      </EmptyList>
    </Screen>
  )
}
