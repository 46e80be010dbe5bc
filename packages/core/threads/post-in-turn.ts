import type { Offset, ThreadId } from '@arbe/sdk'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'
import type { Executor } from '../db/executor.ts'
import { appendEntry } from '../streams/thread-stream.ts'
import { requireText } from './message-text.ts'
import { noSuchThread, type Roster } from './open-thread.ts'
import type { TurnAuthor } from './turn-author.ts'

export interface TurnPost {
  readonly threadId: ThreadId
  readonly roster: Roster
  readonly text: string
}

/** A bot's message in another thread than its turn's: there it is a bot's chat like any, one hop further from a person. */
export async function postInTurn(
  tx: Executor,
  author: TurnAuthor,
  { threadId, roster, text }: TurnPost,
): Promise<Offset> {
  requireText(text)
  const { mentions, names } = parseMentions(text, [...roster.bots, ...roster.people])
  const appended = await appendEntry(tx, {
    houseId: author.houseId,
    threadId,
    key: `arbe:post:${author.effectKey}`,
    authorId: author.id,
    authorKind: 'bot',
    kind: 'chat',
    wakes: true,
    readable: true,
    hops: author.hops + 1,
    body: {
      text,
      mentions: mentionedIds(mentions),
      ...(names.length === 0 ? {} : { names: [...names] }),
      origin: { threadId: author.threadId, decision: author.decision },
    },
  })
  if (!('seq' in appended)) throw noSuchThread(threadId)
  author.appended({ threadId, seq: appended.seq, wakes: true })
  return appended.seq
}
