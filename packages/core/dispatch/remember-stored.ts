import type { Entry } from '@arbe/sdk'
import type { TurnWrites } from '../threads/turn.ts'

interface Stored {
  readonly stored: () => Promise<readonly Entry[]>
  readonly writes: TurnWrites
}

/** A turn's own store, read again only where the turn has written since. */
export function rememberStored<Turn extends Stored>(turn: Turn): Turn {
  const { writes } = turn
  let known: Promise<readonly Entry[]> | undefined
  const forget = async <Result>(write: Promise<Result>): Promise<Result> => {
    try {
      return await write
    } finally {
      known = undefined
    }
  }
  return {
    ...turn,
    stored: () => (known ??= turn.stored()),
    writes: {
      assistant: (draft) => forget(writes.assistant(draft)),
      toolResult: (call, outcome) => forget(writes.toolResult(call, outcome)),
      toolEffect: (call, effect) => forget(writes.toolEffect(call, effect)),
    },
  }
}
