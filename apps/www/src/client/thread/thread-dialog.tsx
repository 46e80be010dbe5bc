import type { Thread, ThreadPatch } from '@arbe/sdk'
import { type FormEvent, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Dialog } from '../shell/dialog.tsx'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'
import { AddMember } from './add-member.tsx'
import { CommandsPlace } from './commands-place.tsx'
import { BotRow, PersonRow } from './member-rows.tsx'
import { ThreadCost } from './thread-cost.tsx'

export interface ThreadDialogProps {
  readonly thread: Thread
  readonly onClose: () => void
}

/** How the thread is called, who is in it, when each bot speaks, who may still be added, where commands run, and what it has cost. */
export function ThreadDialog({ thread, onClose }: ThreadDialogProps) {
  const store = useStore()
  const [error, setError] = useState<string>()

  async function edit(patch: ThreadPatch): Promise<void> {
    try {
      setError(undefined)
      store.showThread(await store.client.threads.edit(thread.id, patch))
    } catch (cause) {
      setError(messageOf(cause))
    }
  }

  const onEdit = (patch: ThreadPatch): void => void edit(patch)
  return (
    <Dialog title="This thread" done="Done" onClose={onClose}>
      <Title title={thread.title} onEdit={onEdit} />
      <h3 className="label mt-5">Bots</h3>
      {thread.bots.length === 0 && (
        <p className="text-soft text-sm">No bot is in it: nobody but people will answer.</p>
      )}
      <ul className="space-y-2">
        {thread.bots.map((bot) => (
          <BotRow key={bot.id} bot={bot} onEdit={onEdit} />
        ))}
      </ul>
      <Banter thread={thread} onEdit={onEdit} />
      <h3 className="label mt-5">People</h3>
      <ul className="space-y-2">
        {thread.people.map((person) => (
          <PersonRow key={person.id} person={person} onEdit={onEdit} />
        ))}
      </ul>
      <AddMember thread={thread} onEdit={onEdit} />
      <CommandsPlace thread={thread} onEdit={onEdit} />
      <ThreadCost id={thread.id} />
      <div className="mt-3">
        <Trouble message={error} />
      </div>
    </Dialog>
  )
}

function Banter({
  thread,
  onEdit,
}: {
  readonly thread: Thread
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  return (
    <label className="mt-3 flex items-start gap-2">
      <input
        type="checkbox"
        className="accent-accent mt-1"
        checked={thread.banter}
        onChange={({ target }) => onEdit({ banter: target.checked })}
      />
      <span>
        Bots may answer each other
        <span className="text-soft block text-sm">
          Each thing a bot says then costs a model’s choice, and a turn if one is chosen, until{' '}
          {thread.limitPerThread} turns have passed without a word by a person.
        </span>
      </span>
    </label>
  )
}

function Title({
  title,
  onEdit,
}: {
  readonly title: string
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  const [text, setText] = useState(title)
  const save = (event: FormEvent): void => {
    event.preventDefault()
    onEdit({ title: text.trim() })
  }
  return (
    <form onSubmit={save} className="flex items-end gap-2">
      <label className="min-w-0 flex-1">
        <span className="label">Name</span>
        <input
          className="field"
          value={text}
          maxLength={120}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button className="button py-2" disabled={text.trim() === title}>
        Rename
      </button>
    </form>
  )
}
