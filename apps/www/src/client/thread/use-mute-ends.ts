import type { Thread } from '@arbe/sdk'
import { useEffect } from 'react'
import { useStore } from '../house/use-house.ts'
import { nextEnd, threadAt } from './mute-times.ts'

// A timer holds no more than this.
const LONGEST_MS = 2 ** 31 - 1

/** No entry says that a mute has run out: the page sees it by its own clock. */
export function useMuteEnds(thread: Thread): void {
  const store = useStore()
  useEffect(() => {
    const left = (nextEnd(thread) ?? Infinity) - Date.now()
    if (left > LONGEST_MS) return undefined
    const timer = setTimeout(() => store.showThread(threadAt(thread, Date.now())), left + 1)
    return () => clearTimeout(timer)
  }, [store, thread])
}
