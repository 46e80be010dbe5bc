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

/** The thread, opened if it is not yet; `error` says why it cannot be. */
export function useThread(id: string): { open: OpenThread | undefined; error: Error | undefined } {
  const store = useStore()
  const open = useHouse().open.get(id)
  const [failed, setFailed] = useState<{ id: string; error: Error }>()
  useEffect(() => {
    store.openThread(id).catch((error: unknown) => {
      setFailed({ id, error: error instanceof Error ? error : new Error(String(error)) })
    })
  }, [store, id])
  return { open, error: failed?.id === id ? failed.error : undefined }
}

/** The time, told again every second while something on the screen depends on it. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!ticking) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [ticking])
  return now
}
