import { useMemo, useState } from 'react'
import { stateAt } from '../house/live-turn.ts'
import type { OpenThread } from '../house/house-state.ts'
import { useNow, useStore, useThread } from '../house/use-house.ts'
import { Screen } from '../shell/screen.tsx'
import { Composer } from './composer.tsx'
import { whoIsIn } from './people.ts'
import { StateLine } from './state-line.tsx'
import { ThreadItems } from './thread-items.tsx'
import { ThreadMembers } from './thread-members.tsx'
import { viewThread } from './thread-view.ts'

export function ThreadScreen({ id, onMenu }: { readonly id: string; readonly onMenu: () => void }) {
  const { open, error } = useThread(id)
  if (error !== undefined) {
    return (
      <Screen title="This thread cannot be opened" onMenu={onMenu}>
        <p className="text-soft p-8">{error.message}</p>
      </Screen>
    )
  }
  if (open === undefined) {
    return (
      <Screen title="" onMenu={onMenu}>
        <p className="text-soft p-8">Opening…</p>
      </Screen>
    )
  }
  return <OpenThreadScreen open={open} onMenu={onMenu} />
}

function OpenThreadScreen({
  open,
  onMenu,
}: {
  readonly open: OpenThread
  readonly onMenu: () => void
}) {
  const store = useStore()
  const [members, setMembers] = useState(false)
  const [replyTo, setReplyTo] = useState<number>()
  const { thread, log, live } = open
  const view = useMemo(() => viewThread(log.entries), [log.entries])
  const who = useMemo(() => whoIsIn(thread), [thread])
  const now = useNow(open.state.status !== 'quiet' || open.typing.size > 0)
  const state = stateAt(open.state, now)

  return (
    <Screen
      title={thread.title === '' ? 'Untitled' : thread.title}
      onMenu={onMenu}
      actions={
        <button className="button-quiet" onClick={() => setMembers(true)}>
          {thread.people.length + thread.bots.length} members
        </button>
      }
    >
      <ThreadItems
        view={view}
        who={who}
        thread={thread}
        live={state.status === 'speaking' ? live : undefined}
        older={log.older}
        onOlder={() => store.loadOlder(thread.id)}
        onReply={setReplyTo}
      />
      <StateLine
        state={state}
        waiting={view.waiting}
        typing={[...open.typing].flatMap(([id, until]) => (until > now ? [who(id)] : []))}
        who={who}
        now={now}
        onStop={() => store.client.threads.append(thread.id, { kind: 'thread.stop' })}
      />
      <Composer
        key={thread.id}
        thread={thread}
        replyTo={replyTo}
        view={view}
        onReplyTo={setReplyTo}
      />
      {members && <ThreadMembers thread={thread} onClose={() => setMembers(false)} />}
    </Screen>
  )
}
