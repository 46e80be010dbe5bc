import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { HouseState, OpenThread } from './house-state.ts'
import type { HouseStore } from './house-store.ts'

export const HouseContext = createContext<HouseStore | undefined>(undefined)

export function useStore(): HouseStore {
  const store = use(HouseContext)
  if (store === undefined) throw new Error('a component stands outside the house')
  return store
}

export function useHouse(): HouseState {
  const store = useStore()
  return useSyncExternalStore(store.subscribe, store.getState)
}

export interface ThreadOnScreen {
  readonly open: OpenThread | undefined
  /** Why it cannot be opened. */
  readonly error: Error | undefined
  readonly retry: () => void
}

/** The thread, opened whenever it is not. */
export function useThread(id: string): ThreadOnScreen {
  const store = useStore()
  const open = useHouse().open.get(id)
  const [error, setError] = useState<Error>()
  const isOpen = open !== undefined
  useEffect(() => {
    if (!isOpen) store.openThread(id).catch((cause: unknown) => setError(toError(cause)))
  }, [store, id, isOpen])
  const retry = (): void => {
    setError(undefined)
    store.openThread(id).catch((cause: unknown) => setError(toError(cause)))
  }
  return { open, error, retry }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The time in whole seconds, told again every second while something on the screen depends on it. */
export function useNow(isTicking: boolean): number {
  return useSyncExternalStore(isTicking ? everySecond : never, wholeSecond)
}

const wholeSecond = (): number => Math.floor(Date.now() / 1_000) * 1_000

function everySecond(tell: () => void): () => void {
  const timer = setInterval(tell, 1_000)
  return () => clearInterval(timer)
}

const never = (): (() => void) => () => undefined
