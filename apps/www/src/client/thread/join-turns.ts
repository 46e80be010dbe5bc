import type { RoundPart, ThreadItem, TurnItem, TurnPart } from './thread-item.ts'

/** One step of the thread; `turn` tells whose it is when a bot's turn made it. */
export interface Step {
  readonly part: Exclude<ThreadItem, TurnItem> | RoundPart
  readonly turn?: { readonly decision: number; readonly bot: string }
}

/** What one turn did stands together, unless somebody spoke in between. */
export function joinTurns(steps: readonly Step[]): readonly ThreadItem[] {
  const items: ThreadItem[] = []
  const pieces = new Map<number, number>()
  for (const { part, turn } of steps) {
    const last = items.at(-1)
    if (turn === undefined) {
      if (part.type !== 'round') items.push(part)
    } else if (part.type === 'round' || part.type === 'message') {
      if (last?.type === 'turn' && last.decision === turn.decision) {
        items[items.length - 1] = { ...last, parts: [...last.parts, part] }
      } else {
        items.push(newTurn(turn, part, pieces))
      }
    }
  }
  return items
}

function newTurn(
  turn: { readonly decision: number; readonly bot: string },
  part: TurnPart,
  pieces: Map<number, number>,
): TurnItem {
  const piece = (pieces.get(turn.decision) ?? 0) + 1
  pieces.set(turn.decision, piece)
  return { type: 'turn', seq: part.seq, key: turnKey(turn.decision, piece), ...turn, parts: [part] }
}

const turnKey = (decision: number, piece: number): string => `turn:${decision}:${piece}`

/** The turn that is being written, with what is stored of it: it keeps its key, and so its place on the screen, when more is stored. */
export function openTurn(
  items: readonly ThreadItem[],
  live: { readonly decision: number; readonly bot: string },
): TurnItem {
  const last = items.at(-1)
  if (last?.type === 'turn' && last.decision === live.decision) return last
  const pieces = items.filter(
    (item) => item.type === 'turn' && item.decision === live.decision,
  ).length
  const { decision, bot } = live
  const key = turnKey(decision, pieces + 1)
  return { type: 'turn', seq: Number.MAX_SAFE_INTEGER, key, decision, bot, parts: [] }
}
