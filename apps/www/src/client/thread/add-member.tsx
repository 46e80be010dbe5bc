import type { Bot, Person, Thread, ThreadPatch } from '@arbe/sdk'
import { useCallback } from 'react'
import { useStore } from '../house/use-house.ts'
import { useFetched } from '../shell/use-fetched.ts'

/** Whoever is in the house and not in the thread. */
export function AddMember({
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
    <label className="mt-5 block">
      <span className="label">Add to the thread</span>
      <select className="field" value="" onChange={(event) => add(event.target.value)}>
        <option value="" disabled>
          Choose a bot or a person
        </option>
        {[...bots, ...people].map(({ id, name, handle }) => (
          <option key={id} value={id}>
            {name} (@{handle})
          </option>
        ))}
      </select>
    </label>
  )
}
