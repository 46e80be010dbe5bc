import type { AppendInput } from '@arbe/sdk'
import { useCallback, useMemo, useState } from 'react'
import type { OpenThread } from '../house/house-state.ts'
import { useHouse, useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { whoIsIn } from './people.ts'
import type { Subject } from './subject.ts'
import type { ThreadScene } from './thread-scene.ts'
import { viewThread } from './thread-view.ts'

export interface UsedScene {
  readonly scene: ThreadScene
  readonly subject: Subject
  /** Why the last thing tried did not work. */
  readonly trouble: string | undefined
}

export function useThreadScene({ thread, log }: OpenThread): UsedScene {
  const store = useStore()
  const person = useHouse().me?.person
  const [subject, write] = useState<Subject>({ kind: 'new' })
  const [trouble, setTrouble] = useState<string>()
  const { id } = thread
  const act = useCallback(
    async (input: AppendInput): Promise<boolean> => {
      try {
        setTrouble(undefined)
        await store.client.threads.append(id, input)
        store.readOn(id)
        return true
      } catch (cause) {
        setTrouble(messageOf(cause))
        return false
      }
    },
    [store, id],
  )
  const view = useMemo(() => viewThread(log.entries), [log.entries])
  const who = useMemo(() => whoIsIn(thread, log.entries), [thread, log.entries])
  const me = person?.id ?? ''
  const isAdmin = person?.role === 'owner' || person?.role === 'admin'
  const scene = useMemo(
    () => ({ thread, view, who, me, isAdmin, act, write }),
    [thread, view, who, me, isAdmin, act],
  )
  return { scene, subject, trouble }
}
