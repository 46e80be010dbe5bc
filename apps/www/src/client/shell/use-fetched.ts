import { useEffect, useState } from 'react'

export type Fetched<Value> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'ready'; readonly value: Value }

/** One resource that is read when the component appears; `reload` reads it again. `read` must keep its identity. */
export function useFetched<Value>(
  read: () => Promise<Value>,
): Fetched<Value> & { reload: () => void } {
  const [fetched, setFetched] = useState<Fetched<Value>>({ status: 'loading' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    let current = true
    read().then(
      (value) => current && setFetched({ status: 'ready', value }),
      (error: unknown) =>
        current &&
        setFetched({
          status: 'failed',
          message: error instanceof Error ? error.message : String(error),
        }),
    )
    return () => {
      current = false
    }
  }, [read, round])
  return { ...fetched, reload: () => setRound((last) => last + 1) }
}
