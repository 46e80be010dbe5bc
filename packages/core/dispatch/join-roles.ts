import type { Offset } from '@arbe/sdk'
import type { ModelMessage } from '../models/model.ts'
import { type ContextItem, type FittedContext, type PartItem, partText } from './fit-context.ts'
import { noteLine } from './quote-entry.ts'

/** Neighbouring parts become one user message, so that roles alternate, and the request asks for a reply at its end. */
export function joinRoles(
  { items, cut }: FittedContext,
  owed: readonly Offset[],
): readonly ModelMessage[] {
  const messages: ModelMessage[] = []
  const first = items[0]?.kind === 'part' ? items[0].timestamp : 0
  let user: User | undefined = cut ? { lines: [CUT_NOTE], timestamp: first } : undefined
  for (const item of items) {
    if (item.kind === 'part') {
      user = joined(user, item)
      continue
    }
    if (item.messages.length === 0) continue
    messages.push(toMessage(user ?? turnNote(item.pinned ? owed : [])), ...item.messages)
    user = undefined
  }
  const atWork = items.some(isUnderWay) && messages.at(-1)?.role === 'toolResult'
  if (user === undefined && atWork) return messages
  return [...messages, toMessage(user ?? turnNote(owed))]
}

interface User {
  readonly lines: readonly string[]
  readonly timestamp: number
}

const CUT_NOTE = noteLine({ note: 'Earlier messages of this thread are left out here.' })

function joined(user: User | undefined, part: PartItem): User {
  return { lines: [...(user?.lines ?? []), partText(part)], timestamp: part.timestamp }
}

function turnNote(owed: readonly Offset[]): User {
  const note =
    owed.length === 0
      ? 'It is your turn to speak.'
      : `It is your turn to speak: message ${owed.join(', ')} still waits for your answer.`
  return { lines: [noteLine({ note })], timestamp: 0 }
}

function toMessage({ lines, timestamp }: User): ModelMessage {
  return { role: 'user', content: lines.join('\n\n'), timestamp }
}

function isUnderWay(item: ContextItem): boolean {
  return item.kind === 'block' && item.pinned && item.messages.length > 0
}
