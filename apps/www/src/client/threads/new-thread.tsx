import type { Bot, Person } from '@arbe/sdk'
import { newKey } from '@arbe/sdk/client'
import { type FormEvent, useCallback, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useHouse, useStore } from '../house/use-house.ts'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'

export function NewThread({ onMenu }: { readonly onMenu: () => void }) {
  const store = useStore()
  const read = useCallback(async () => {
    const [{ people }, { bots }] = await Promise.all([
      store.client.people(),
      store.client.bots.list(),
    ])
    return { people, bots }
  }, [store])
  const members = useFetched(read)
  return (
    <Screen title="New thread" onMenu={onMenu}>
      {members.status === 'failed' && <p className="text-bad p-5">{members.message}</p>}
      {members.status === 'ready' && <NewThreadForm {...members.value} />}
    </Screen>
  )
}

function NewThreadForm({
  people,
  bots,
}: {
  readonly people: readonly Person[]
  readonly bots: readonly Bot[]
}) {
  const store = useStore()
  const { me } = useHouse()
  const [, navigate] = useLocation()
  const [title, setTitle] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<string>()
  const key = useRef(newKey())
  const others = people.filter(({ id }) => id !== me?.person.id)
  const chosenOf = (all: readonly { id: string }[]): string[] =>
    all.flatMap(({ id }) => (chosen.has(id) ? [id] : []))

  async function create(event: FormEvent): Promise<void> {
    event.preventDefault()
    const input = { title: title.trim(), people: chosenOf(others), bots: chosenOf(bots) }
    try {
      const thread = await store.client.threads.create(input, key.current)
      await store.loadThreads()
      navigate(`/t/${thread.id}`)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }

  const toggle = (id: string): void => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  return (
    <form
      onSubmit={(event) => void create(event)}
      className="mx-auto w-full max-w-xl space-y-6 overflow-y-auto p-5"
    >
      <label className="block">
        <span className="label">What is it about?</span>
        <input
          className="field"
          value={title}
          maxLength={120}
          autoFocus
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      <Members title="Bots" all={bots} chosen={chosen} onToggle={toggle}>
        No bot lives in this house yet. Make one under “Bots”.
      </Members>
      <Members title="People" all={others} chosen={chosen} onToggle={toggle}>
        Nobody else is in this house yet. Invite somebody from the list at the left.
      </Members>
      {error !== undefined && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
      <button className="button-primary">Start the thread</button>
    </form>
  )
}

interface MembersProps {
  readonly title: string
  readonly all: readonly { id: string; name: string; handle: string; description?: string }[]
  readonly chosen: ReadonlySet<string>
  readonly onToggle: (id: string) => void
  readonly children: string
}

function Members({ title, all, chosen, onToggle, children }: MembersProps) {
  return (
    <fieldset>
      <legend className="label">{title}</legend>
      {all.length === 0 && <p className="text-soft text-sm">{children}</p>}
      <div className="space-y-1">
        {all.map((member) => (
          <label
            key={member.id}
            className="hover:bg-panel flex cursor-pointer items-start gap-3 rounded-md p-2"
          >
            <input
              type="checkbox"
              className="accent-accent mt-1"
              checked={chosen.has(member.id)}
              onChange={() => onToggle(member.id)}
            />
            <span className="min-w-0">
              <span className="font-medium">{member.name}</span>{' '}
              <span className="text-soft text-sm">@{member.handle}</span>
              {member.description !== undefined && member.description !== '' && (
                <span className="text-soft block text-sm">{member.description}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
