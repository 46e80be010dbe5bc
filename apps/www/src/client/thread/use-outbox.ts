import type { Entry } from '@arbe/sdk'
import { newKey } from '@arbe/sdk/client'
import { useRef, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import {
  drop,
  keepOutbox,
  type Outbox,
  setError,
  takeOutbox,
  type Unsent,
  withoutStored,
} from './outbox.ts'

export interface UsedOutbox {
  readonly unsent: Outbox
  readonly post: (text: string, replyTo: number | undefined) => void
  readonly retry: (unsent: Unsent) => void
  readonly drop: (key: string) => void
}

/** What this tab has not got into the thread yet, in order; a reload loses none of it. */
export function useOutbox(threadId: string, entries: readonly Entry[]): UsedOutbox {
  const store = useStore()
  const [outbox, setOutbox] = useState(() => takeOutbox(sessionStorage, threadId))
  // One after the other: what is written second is not stored first.
  const turn = useRef(Promise.resolve())

  function change(next: (outbox: Outbox) => Outbox): void {
    setOutbox((before) => {
      const after = next(before)
      keepOutbox(sessionStorage, threadId, after)
      return after
    })
  }

  async function send({ key, text, replyTo }: Unsent): Promise<void> {
    const reply = replyTo === undefined ? {} : { replyTo }
    try {
      await store.client.threads.append(threadId, { kind: 'chat', text, ...reply }, key)
      store.readOn(threadId)
    } catch (cause) {
      change((before) => setError(before, key, messageOf(cause)))
    }
  }

  function enqueue(unsent: Unsent): void {
    turn.current = turn.current.then(() => send(unsent))
  }

  const unsent = withoutStored(outbox, entries)
  if (unsent.length !== outbox.length) change(() => unsent)
  return {
    unsent,
    post(text, replyTo) {
      const fresh: Unsent = { key: newKey(), text, replyTo, error: undefined }
      change((before) => [...before, fresh])
      enqueue(fresh)
    },
    retry(again) {
      change((before) => setError(before, again.key, undefined))
      enqueue(again)
    },
    drop: (key) => change((before) => drop(before, key)),
  }
}
