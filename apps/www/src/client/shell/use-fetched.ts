import { useEffect, useState } from 'react'
import { messageOf } from './message-of.ts'

export type Fetched<Value> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'ready'; readonly value: Value }

type Read<Value> = () => Promise<Value>

/** One resource that is read when the component appears; `reload` reads it again. `read` must keep its identity. */
export function useFetched<Value>(read: Read<Value>): Fetched<Value> & { reload: () => void } {
  const [round, setRound] = useState({ of: read })
  const [got, setGot] = useState<{ of: Read<Value>; fetched: Fetched<Value> }>()
  if (round.of !== read) setRound({ of: read })
  useEffect(() => {
    let isCurrent = true
    const take = (fetched: Fetched<Value>): void => {
      if (isCurrent) setGot({ of: round.of, fetched })
    }
    round.of().then(
      (value) => take({ status: 'ready', value }),
      (error: unknown) => take({ status: 'failed', message: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [round])
  // While it is read again, what was read before stays on the screen.
  const known = got?.of === read ? got.fetched : { status: 'loading' as const }
  return { ...known, reload: () => setRound({ of: read }) }
}
