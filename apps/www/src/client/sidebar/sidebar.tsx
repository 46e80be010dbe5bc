import { useState } from 'react'
import { Link } from 'wouter'
import { useHouse } from '../house/use-house.ts'
import { InviteDialog } from '../people/invite-dialog.tsx'
import { ThreadRow } from './thread-row.tsx'

export function Sidebar({ onPick }: { readonly onPick: () => void }) {
  const { me, threads, marks } = useHouse()
  return (
    <nav aria-label="Threads" className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-2">
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
      <ul className="min-h-0 flex-1 space-y-0.5 overflow-y-auto px-2 py-1">
        {threads.map((thread) => (
          <ThreadRow key={thread.id} thread={thread} marks={marks} onPick={onPick} />
        ))}
        {threads.length === 0 && (
          <li className="text-soft px-2 py-4 text-sm">You are in no thread yet.</li>
        )}
      </ul>
      <House onPick={onPick} />
    </nav>
  )
}

/** What belongs to the house rather than to a thread. */
function House({ onPick }: { readonly onPick: () => void }) {
  const { me } = useHouse()
  const [isInviting, setInviting] = useState(false)
  const mayInvite = me?.person.role === 'owner' || me?.person.role === 'admin'
  return (
    <div className="border-line flex flex-wrap gap-1 border-t p-2">
      <Link href="/bots" onClick={onPick} className="button-quiet">
        Bots
      </Link>
      <Link href="/files" onClick={onPick} className="button-quiet">
        Files
      </Link>
      {me?.person.role !== 'guest' && (
        <Link href="/environments" onClick={onPick} className="button-quiet">
          Environments
        </Link>
      )}
      {mayInvite && (
        <button className="button-quiet" aria-haspopup="dialog" onClick={() => setInviting(true)}>
          Invite
        </button>
      )}
      <span className="text-soft ml-auto self-center truncate px-2 text-sm">{me?.person.name}</span>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </div>
  )
}
