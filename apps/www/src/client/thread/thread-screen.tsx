import { useState } from 'react'
import type { OpenThread } from '../house/house-state.ts'
import { stateAt } from '../house/live-turn.ts'
import { useNow, useStore, useThread } from '../house/use-house.ts'
import { EmptyList } from '../shell/empty-list.tsx'
import { messageOf } from '../shell/message-of.ts'
import { Screen } from '../shell/screen.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { Announcer } from './announcer.tsx'
import { AutoOffer } from './auto-offer.tsx'
import { StateLine } from './state-line.tsx'
import { ThreadComposer } from './thread-composer.tsx'
import { ThreadItems } from './thread-items.tsx'
import { ThreadDialog } from './thread-dialog.tsx'
import { useMuteEnds } from './use-mute-ends.ts'
import { useOutbox } from './use-outbox.ts'
import { useThreadScene } from './use-thread-scene.ts'

export function ThreadScreen({ id }: { readonly id: string }) {
  const { open, error, retry } = useThread(id)
  if (open !== undefined) return <OpenThreadScreen open={open} />
  if (error === undefined) {
    return (
      <Screen title="">
        <p className="text-soft p-8">Opening…</p>
      </Screen>
    )
  }
  return (
    <Screen title="This thread cannot be opened">
      <EmptyList says={messageOf(error)}>
        <button className="button" onClick={retry}>
          Try again
        </button>
      </EmptyList>
    </Screen>
  )
}

function OpenThreadScreen({ open }: { readonly open: OpenThread }) {
  const store = useStore()
  const { thread, log } = open
  useMuteEnds(thread)
  const { scene, subject, trouble } = useThreadScene(open)
  const outbox = useOutbox(thread.id, log.entries)
  const now = useNow(open.state.status !== 'quiet' || open.typing.size > 0)
  const state = stateAt(open.state, now)
  const last = log.entries.at(-1)?.seq ?? 0
  return (
    <Screen title={thread.title || 'Untitled'} actions={<Members thread={thread} />}>
      <AutoOffer thread={thread} />
      <ThreadItems
        scene={scene}
        live={state.status === 'speaking' && open.live?.text !== '' ? open.live : undefined}
        outbox={outbox}
        hasOlder={log.older}
        onOlder={() => void store.loadOlder(thread.id).catch(() => undefined)}
        onEnd={() => {
          if (document.visibilityState === 'visible') store.markRead(thread.id, last)
        }}
      />
      <StateLine
        state={state}
        waiting={scene.view.waiting}
        typing={typingNow(open, scene.me, now).map(scene.who)}
        who={scene.who}
        now={now}
        onStop={() => void scene.act({ kind: 'thread.stop' })}
      />
      <div className="mx-auto w-full max-w-3xl px-4 md:px-6">
        <Trouble message={trouble} />
      </div>
      <ThreadComposer scene={scene} subject={subject} outbox={outbox} />
      <Announcer scene={scene} />
    </Screen>
  )
}

function typingNow({ typing }: OpenThread, me: string, now: number): readonly string[] {
  return [...typing].flatMap(([id, until]) => (until > now && id !== me ? [id] : []))
}

function Members({ thread }: { readonly thread: OpenThread['thread'] }) {
  const [isShown, setShown] = useState(false)
  const count = thread.people.length + thread.bots.length
  return (
    <>
      {thread.environment !== null && (
        <button
          className="text-soft border-line hover:border-soft max-w-40 truncate rounded-full border px-2.5 py-0.5 text-xs"
          aria-haspopup="dialog"
          title={`Bots run commands in ${thread.environment.name}`}
          onClick={() => setShown(true)}
        >
          <span aria-hidden>›_ </span>
          {thread.environment.name}
        </button>
      )}
      <button className="button-quiet" aria-haspopup="dialog" onClick={() => setShown(true)}>
        {count} {count === 1 ? 'member' : 'members'}
      </button>
      {isShown && <ThreadDialog thread={thread} onClose={() => setShown(false)} />}
    </>
  )
}
