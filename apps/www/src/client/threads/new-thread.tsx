import type { Bot, Person } from '@arbe/sdk'
import { newKey } from '@arbe/sdk/client'
import { type FormEvent, useCallback, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useHouse, useStore } from '../house/use-house.ts'
import { EmptyList } from '../shell/empty-list.tsx'
import { Field } from '../shell/field.tsx'
import { focusOnShow } from '../shell/focus-on-show.ts'
import { messageOf } from '../shell/message-of.ts'
import { Screen } from '../shell/screen.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import { MemberChoice } from './member-choice.tsx'

export function NewThread() {
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
    <Screen title="New thread">
      {members.status === 'failed' && (
        <EmptyList says={members.message}>
          <button className="button" onClick={members.reload}>
            Try again
          </button>
        </EmptyList>
      )}
      {members.status === 'ready' && <NewThreadForm {...members.value} />}
    </Screen>
  )
}

interface HouseMembers {
  readonly people: readonly Person[]
  readonly bots: readonly Bot[]
}

function NewThreadForm({ people, bots }: HouseMembers) {
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
      // Another choice is another thread.
      key.current = newKey()
      setError(messageOf(cause))
    }
  }

  const toggle = (id: string): void => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  return (
    <form onSubmit={(event) => void create(event)} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-xl space-y-6 p-5">
        <Field label="What is it about?">
          <input
            ref={focusOnShow}
            className="field"
            value={title}
            maxLength={120}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Field>
        <MemberChoice title="Bots" kind="bot" all={bots} chosen={chosen} onToggle={toggle}>
          No bot lives in this house yet. Make one under “Bots”.
        </MemberChoice>
        <MemberChoice title="People" kind="person" all={others} chosen={chosen} onToggle={toggle}>
          Nobody else is in this house yet. Invite somebody with the button at the left.
        </MemberChoice>
        <Trouble message={error} />
        <button className="button-primary">Start the thread</button>
      </div>
    </form>
  )
}
