import type { ActorId } from '@arbe/sdk'
import type { AppendInput } from '@arbe/sdk/api'
import { mentionedIds, type MentionMember, parseMentions } from '@arbe/sdk/mentions'
import { type Actor, hasRole } from '../access/authorship.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import type { EntryDraft } from '../streams/entry-draft.ts'
import { requireText } from './message-text.ts'
import { type StoredMessage, hasCaused, readMessage } from './stored-message.ts'
import type { OpenThread } from './open-thread.ts'

export interface DraftPlace {
  readonly db: Executor
  readonly author: Actor
  readonly thread: OpenThread
  readonly key: string
}

/** What becomes of a person's wish in the stream: who is named in it, whether it wakes, whether a bot reads it. Refuses what they may not. */
export async function toMessageDraft(place: DraftPlace, input: AppendInput): Promise<EntryDraft> {
  const quiet = { ...fieldsOf(place), wakes: false, readable: false }
  if (place.author.kind === 'bot' && !input.kind.startsWith('chat'))
    throw new Refused('forbidden', 'A bot driven from outside may only write messages.')
  switch (input.kind) {
    case 'chat':
      return draftChat(place, input)
    case 'chat.edit':
      return draftEdit(place, input)
    case 'chat.delete':
      await requireMayDelete(place, input.target)
      return { ...quiet, readable: true, kind: input.kind, body: { target: input.target } }
    case 'thread.ask':
      requireAskable(place, input.bot)
      return { ...quiet, wakes: true, kind: input.kind, body: { bot: input.bot } }
    case 'thread.continue':
      return { ...quiet, wakes: true, kind: input.kind, body: {} }
    case 'thread.stop':
      return { ...quiet, kind: input.kind, body: {} }
    case 'thread.feedback':
      return {
        ...quiet,
        kind: input.kind,
        body: { decision: input.decision, verdict: input.verdict },
      }
  }
}

const fieldsOf = ({ author, thread, key }: DraftPlace) => ({
  houseId: author.houseId,
  threadId: thread.threadId,
  key,
  authorId: author.id,
  authorKind: author.kind,
})

async function draftChat(
  place: DraftPlace,
  { text, replyTo, via }: Extract<AppendInput, { readonly kind: 'chat' }>,
): Promise<EntryDraft> {
  requireText(text)
  if (replyTo !== undefined) await requireMessage(place, replyTo)
  return {
    ...fieldsOf(place),
    wakes: true,
    readable: true,
    kind: 'chat',
    body: {
      text,
      ...toBody(mentionsIn(place, text, [])),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(via === undefined ? {} : { via }),
    },
  }
}

async function draftEdit(
  place: DraftPlace,
  { target, text }: Extract<AppendInput, { readonly kind: 'chat.edit' }>,
): Promise<EntryDraft> {
  requireText(text)
  const message = await requireMessage(place, target)
  if (message.authorId !== place.author.id)
    throw new Refused('forbidden', 'Only its author may edit a message.')
  // First what the message called them: a handle that changed since is no new mention, and loses none. What an import names was
  // said elsewhere, and mending its spelling calls nobody here.
  const named = message.isImported ? nobodyNamed : mentionsIn(place, text, message.names)
  const added = newlyAsked(place, message, named)
  return {
    ...fieldsOf(place),
    wakes: added.length > 0,
    readable: true,
    kind: 'chat.edit',
    body: { target, text, ...toBody(named), added },
  }
}

interface Named {
  readonly mentions: readonly ActorId[]
  readonly everyone: boolean
  readonly names: readonly MentionMember<ActorId>[]
}

const nobodyNamed: Named = { mentions: [], everyone: false, names: [] }

function mentionsIn(
  { author, thread }: DraftPlace,
  text: string,
  before: readonly MentionMember<ActorId>[],
): Named {
  const { people, bots } = thread.roster
  const { mentions, everyone, names } = parseMentions(text, [...before, ...bots, ...people])
  // A bot’s asks nobody.
  return { mentions: mentionedIds(mentions), everyone: everyone && author.kind === 'person', names }
}

const toBody = ({ mentions, everyone, names }: Named) => ({
  mentions: [...mentions],
  everyone,
  ...(names.length === 0 ? {} : { names: [...names] }),
})

/** Bots that the text names now and did not before: a corrected spelling asks nobody a second time. */
function newlyAsked(place: DraftPlace, before: StoredMessage, now: Named): ActorId[] {
  const asks = ({ mentions, everyone }: Omit<Named, 'names'>, id: ActorId): boolean =>
    everyone || mentions.includes(id)
  return place.thread.roster.bots
    .map(({ id }) => id)
    .filter((id) => id !== place.author.id && asks(now, id) && !asks(before, id))
}

function requireAskable({ thread }: DraftPlace, id: string): void {
  const bot = thread.roster.bots.find((one) => one.id === id)
  if (bot === undefined) throw new Refused('not_found', `No bot "${id}" is in this thread.`)
  if (bot.muted) throw new Refused('bot_unavailable', `${bot.name} is muted in this thread.`)
  if (bot.external)
    throw new Refused('bot_unavailable', `${bot.name} is driven from outside and speaks by itself.`)
}

async function requireMessage(place: DraftPlace, seq: number): Promise<StoredMessage> {
  const message = await readMessage(
    place.db,
    { houseId: place.author.houseId, threadId: place.thread.threadId },
    seq,
  )
  if (message === undefined)
    throw new Refused('not_found', `There is no message ${seq} in this thread.`)
  return message
}

async function requireMayDelete(place: DraftPlace, seq: number): Promise<void> {
  const message = await requireMessage(place, seq)
  const { author, thread } = place
  if (message.authorId === author.id || hasRole(author, 'admin')) return
  if (
    message.causedBy !== null &&
    (await hasCaused(place.db, {
      threadId: thread.threadId,
      personId: author.id,
      decision: message.causedBy,
    }))
  )
    return
  throw new Refused(
    'forbidden',
    'A message is deleted by its author, by who caused it, or by an admin.',
  )
}
