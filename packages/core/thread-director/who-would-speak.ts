import { bodySchemas, type Entry, type ThreadId, toOffset } from '@arbe/sdk'
import type { WhoWouldSpeak, WhoWouldSpeakInput } from '@arbe/sdk/api'
import type { PersonActor } from '../access/authorship.ts'
import type { Executor } from '../db/executor.ts'
import { readAfter } from '../streams/thread-stream.ts'
import { toMessageDraft } from '../threads/message-draft.ts'
import { openThread } from '../threads/open-thread.ts'
import { readTrial } from './bot-on-trial.ts'
import { candidatesOf, draftDecision } from './thread-director-draft.ts'
import { viewOf } from './thread-director-entry-view.ts'
import {
  answerUnasked,
  type ReadingAsker,
  askModel,
  estimateAsking,
} from './thread-director-model-call.ts'
import { peekCapture } from './thread-director-peek.ts'
import type { Capture } from './thread-director-port.ts'
import { type Supposed, supposeSaid, supposeTurnOver } from './thread-director-supposing.ts'

export interface Supposing {
  readonly threadId: ThreadId
  readonly input: WhoWouldSpeakInput
  readonly signal: AbortSignal
}

/** What the director would decide if the author said this now: its reading and its rules, and nothing is left behind but a bill. */
export async function whoWouldSpeak(
  asker: ReadingAsker,
  author: PersonActor,
  supposing: Supposing,
): Promise<WhoWouldSpeak> {
  const { threadId, input, signal } = supposing
  const { capture, ...about } = await suppose(asker.db, author, supposing)
  const view = viewOf(capture)
  const common = { ...about, behind: view.to < capture.seen }
  const decided = (decision: ReturnType<typeof draftDecision>): WhoWouldSpeak => ({
    ...common,
    kind: 'decided',
    decision: { ...decision, d: capture.d, fence: 0 },
  })

  const unasked = answerUnasked(asker.models, view)
  if (unasked.status === 'answered') return decided(draftDecision(view, unasked.answer, 0))
  const { question } = unasked
  const place = { houseId: author.houseId, threadId, d: capture.d }
  const asked = { place, purpose: 'preview', view, question, signal } as const
  if (input.paid === true) {
    const started = asker.clock.now()
    const chosen = await askModel(asker, asked)
    return decided(draftDecision(view, chosen, asker.clock.now() - started))
  }
  return {
    ...common,
    kind: 'paid_needed',
    candidates: candidatesOf(view, { asked: question.candidates, speaker: null }),
    nobodyAllowed: question.nobodyAllowed,
    ...(await estimateAsking(asker, asked)),
  }
}

interface Supposition extends Pick<WhoWouldSpeak, 'running' | 'modeFrom'> {
  readonly capture: Capture
}

async function suppose(
  db: Executor,
  author: PersonActor,
  { threadId, input: { text, replyTo, bot } }: Supposing,
): Promise<Supposition> {
  const ref = { houseId: author.houseId, threadId }
  const thread = await openThread(db, author, { threadId })
  const { modeFrom, withTrial } = await readTrial(db, ref, bot)
  const roster = { ...thread.roster, bots: withTrial(thread.roster.bots) }
  // What may not be said is refused here as it is at the door.
  const { body } = await toMessageDraft(
    { db, author, thread: { ...thread, roster }, key: '' },
    { kind: 'chat', text, replyTo },
  )
  const now = await peekCapture(db, threadId)
  const rest = supposeTurnOver(now)
  const supposed: Supposed = {
    threadId,
    authorId: author.id,
    authorKind: 'person',
    body: bodySchemas.chat.parse(body),
  }
  const repliedTo = replyTo === undefined ? undefined : await entryAt(db, ref, replyTo)
  return {
    capture: supposeSaid({ ...rest, bots: withTrial(rest.bots) }, supposed, repliedTo),
    running: rest === now ? null : (now.lastDecision?.speaker ?? null),
    modeFrom,
  }
}

async function entryAt(
  db: Executor,
  thread: Parameters<typeof readAfter>[1],
  seq: number,
): Promise<Entry | undefined> {
  const { entries } = await readAfter(db, thread, { after: toOffset(seq - 1), limit: 1 })
  return entries[0]
}
