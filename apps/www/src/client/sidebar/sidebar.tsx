import type { ThreadSummary } from '@arbe/sdk'
import { useState } from 'react'
import { Link, useRoute } from 'wouter'
import { useHouse } from '../house/use-house.ts'
import { InviteDialog } from '../people/invite-dialog.tsx'

export function Sidebar({ onPick }: { readonly onPick: () => void }) {
  const { me, threads } = useHouse()
  const [inviting, setInviting] = useState(false)
  const canInvite = me?.person.role === 'owner' || me?.person.role === 'admin'
  return (
    <nav aria-label="Threads" className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-4 pt-4 pb-2">
        <img src="/icon.svg" alt="" className="size-6" />
        <span className="min-w-0 flex-1 truncate font-semibold">{me?.house.name}</span>
        <button className="button-quiet md:hidden" onClick={onPick} aria-label="Close the list">
          ✕
        </button>
      </div>
      <div className="px-3 py-2">
        <Link href="/new" onClick={onPick} className="button-primary w-full">
          New thread
        </Link>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2">
        {threads.map((thread) => (
          <ThreadRow key={thread.id} thread={thread} onPick={onPick} />
        ))}
        {threads.length === 0 && (
          <li className="text-soft px-2 py-4 text-sm">No thread yet. Start one above.</li>
        )}
      </ul>
      <div className="border-line flex flex-wrap gap-1 border-t p-2">
        <Link href="/bots" onClick={onPick} className="button-quiet">
          Bots
        </Link>
        <Link href="/files" onClick={onPick} className="button-quiet">
          Files
        </Link>
        {canInvite && (
          <button className="button-quiet" onClick={() => setInviting(true)}>
            Invite
          </button>
        )}
        <span className="text-soft ml-auto self-center truncate px-2 text-sm">
          {me?.person.name}
        </span>
      </div>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </nav>
  )
}

function ThreadRow({
  thread,
  onPick,
}: {
  readonly thread: ThreadSummary
  readonly onPick: () => void
}) {
  const [active] = useRoute(`/t/${thread.id}`)
  return (
    <li>
      <Link
        href={`/t/${thread.id}`}
        onClick={onPick}
        aria-current={active ? 'page' : undefined}
        className={`block truncate rounded-md px-2 py-1.5 ${active ? 'bg-raised font-medium' : 'hover:bg-raised'}`}
      >
        {thread.title === '' ? 'Untitled' : thread.title}
      </Link>
    </li>
  )
}
