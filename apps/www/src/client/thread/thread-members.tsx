import type { Bot, Person, Thread, ThreadBot, ThreadPatch, TriggerMode } from '@arbe/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { useFetched } from '../shell/use-fetched.ts'

export const MODES: Record<TriggerMode, string> = {
  always: 'always answers',
  auto: 'answers when it fits',
  mention: 'only when named',
  never: 'never',
}

export interface ThreadMembersProps {
  readonly thread: Thread
  readonly onClose: () => void
}

/** Who is in the thread, when each bot speaks, and who may still be added. */
export function ThreadMembers({ thread, onClose }: ThreadMembersProps) {
  const store = useStore()
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<string>()
  useEffect(() => dialog.current?.showModal(), [])

  async function edit(patch: ThreadPatch): Promise<void> {
    try {
      setError(undefined)
      await store.client.threads.edit(thread.id, patch)
      await store.reloadThread(thread.id)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }

  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="members-title"
      className="bg-raised text-ink border-line m-auto w-full max-w-lg rounded-xl border p-6"
    >
      <h2 id="members-title" className="mb-4 text-lg font-semibold">
        In this thread
      </h2>
      <ul className="space-y-2">
        {thread.bots.map((bot) => (
          <BotRow key={bot.id} bot={bot} onEdit={(patch) => void edit(patch)} />
        ))}
        {thread.people.map((person) => (
          <li key={person.id} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">
              {person.name} <span className="text-soft text-sm">@{person.handle}</span>
            </span>
            <span className="text-soft text-sm">{person.role}</span>
          </li>
        ))}
      </ul>
      <AddMember thread={thread} onEdit={(patch) => void edit(patch)} />
      {error !== undefined && (
        <p role="alert" className="text-bad mt-3 text-sm">
          {error}
        </p>
      )}
      <div className="mt-6 text-right">
        <button className="button" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
    </dialog>
  )
}

function BotRow({
  bot,
  onEdit,
}: {
  readonly bot: ThreadBot
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 truncate">
        {bot.name} <span className="text-soft text-sm">@{bot.handle}</span>
      </span>
      <select
        className="border-line bg-raised rounded-md border px-2 py-1 text-sm"
        aria-label={`When ${bot.name} speaks`}
        value={bot.mode}
        onChange={(event) => onEdit({ modes: [{ bot: bot.id, mode: toMode(event.target.value) }] })}
      >
        {Object.entries(MODES).map(([mode, said]) => (
          <option key={mode} value={mode}>
            {said}
          </option>
        ))}
      </select>
      <button
        className="button-quiet"
        onClick={() => onEdit({ mutes: [{ bot: bot.id, muted: !bot.muted }] })}
      >
        {bot.muted ? 'Unmute' : 'Mute'}
      </button>
      <button className="button-quiet" onClick={() => onEdit({ removeBots: [bot.id] })}>
        Remove
      </button>
    </li>
  )
}

function toMode(value: string): TriggerMode {
  return value === 'always' || value === 'mention' || value === 'never' ? value : 'auto'
}

function AddMember({
  thread,
  onEdit,
}: {
  readonly thread: Thread
  readonly onEdit: (patch: ThreadPatch) => void
}) {
  const store = useStore()
  const read = useCallback(
    async () => ({
      bots: (await store.client.bots.list()).bots,
      people: (await store.client.people()).people,
    }),
    [store],
  )
  const house = useFetched(read)
  if (house.status !== 'ready') return null
  const inside = new Set([...thread.bots, ...thread.people].map(({ id }) => id))
  const outside = (all: readonly (Bot | Person)[]) => all.filter(({ id }) => !inside.has(id))
  const bots = outside(house.value.bots)
  const people = outside(house.value.people)
  if (bots.length + people.length === 0) return null
  const add = (id: string): void =>
    onEdit(bots.some((bot) => bot.id === id) ? { addBots: [id] } : { addPeople: [id] })
  return (
    <label className="mt-4 block">
      <span className="label">Add to the thread</span>
      <select className="field" value="" onChange={(event) => add(event.target.value)}>
        <option value="" disabled>
          Choose a bot or a person
        </option>
        {[...bots, ...people].map((one) => (
          <option key={one.id} value={one.id}>
            {one.name} (@{one.handle})
          </option>
        ))}
      </select>
    </label>
  )
}
