import { type ActorId, type Entry, type Offset, type ThreadId, toActorId } from '@arbe/sdk'
import type { NewEntry } from '../../packages/core/thread-director/thread-director-memory-house.ts'
import { agent, person } from '../support/director-trace.ts'
import type { Chance } from './chance.ts'
import { HANDLES, PEOPLE, requireThread, type SimulatedHouse } from './house.ts'
import type { Plan } from './plan.ts'
import { deedOf, type Weighted } from './weighted-deeds.ts'
import { settingDeeds } from './setting-deeds.ts'

export interface DeedParts {
  readonly db: SimulatedHouse
  readonly chance: Chance
  readonly plan: Plan
  /** Makes words that stand nowhere else. */
  readonly newWords: () => string
  /** Told after a waking entry is stored. */
  readonly onSaid: (threadId: ThreadId, seq: Offset) => void
  readonly stop: (threadId: ThreadId, author: ActorId, key: string) => void
}

export interface Deeds {
  /** What stood in the answer to a post. */
  readonly acknowledged: ReadonlyMap<ThreadId, readonly { seq: Offset; text: string }[]>
  /** Somebody does something in one of the threads. */
  next(): void
}

/** What people, outside bots and webhooks do: each deed is one request that a page server carries out in one transaction. */
export function createDeeds({ db, chance, plan, newWords, onSaid, stop }: DeedParts): Deeds {
  const { house } = db
  const acknowledged = new Map<ThreadId, { seq: Offset; text: string }[]>()
  let made = 0

  const author = (): ActorId => person(chance.oneOf(PEOPLE.slice(0, plan.people)) ?? 'mia')
  const handle = (): (typeof HANDLES)[number] => chance.oneOf(HANDLES.slice(0, plan.bots)) ?? 'ann'

  function append(threadId: ThreadId, draft: Partial<NewEntry> & Pick<NewEntry, 'kind' | 'body'>) {
    made += 1
    const entry = {
      threadId,
      key: `pat:test:${made}`,
      authorId: author(),
      authorKind: 'person',
      wakes: true,
      readable: true,
      causedBy: null,
      hops: 0,
      ...draft,
    }
    // A kind and its body are paired below, which the union's type cannot follow.
    const whole = entry as NewEntry
    const seq = house.append(whole)
    // Sent twice, with one key.
    if (chance.is(0.1)) house.append(whole)
    if (entry.wakes) onSaid(threadId, seq)
    return seq
  }

  function words(threadId: ThreadId) {
    const { bots, people } = requireThread(house, threadId)
    // Two at once, so that one of them is left waiting.
    const all = plan.fickle ? bots : [...bots, ...people]
    const named = chance.is(plan.fickle ? 0.9 : 0.5) ? [chance.oneOf(all), chance.oneOf(all)] : []
    const some = named.slice(0, plan.fickle ? 2 : chance.between(0, 2)).flatMap((one) => one ?? [])
    const everyone = chance.is(0.05)
    const said = chance.is(0.1) ? 'ok' : newWords()
    const text = [...some.map((one) => `@${one.handle}`), everyone ? '@everyone' : '', said]
    return {
      text: text.filter((word) => word !== '').join(' '),
      mentions: [...new Set(some.map(({ id }) => id))],
      everyone,
    }
  }

  function messageIn(threadId: ThreadId): Extract<Entry, { kind: 'chat' }> | undefined {
    const { entries } = requireThread(house, threadId)
    const deleted = new Set(
      entries.flatMap(({ kind, body }) => (kind === 'chat.delete' ? [body.target] : [])),
    )
    const chats = entries.filter((entry) => entry.kind === 'chat')
    return chance.oneOf(chats.filter(({ seq }) => !deleted.has(seq)).slice(-4))
  }

  function say(threadId: ThreadId, draft: Partial<NewEntry> = {}): void {
    const body = words(threadId)
    const replyTo = chance.is(0.2) ? messageIn(threadId)?.seq : undefined
    const seq = append(threadId, {
      ...draft,
      kind: 'chat',
      body: replyTo === undefined ? body : { ...body, replyTo },
    })
    const known = acknowledged.get(threadId) ?? []
    acknowledged.set(threadId, [...known, { seq, text: body.text }])
  }

  const { settings, changes } = settingDeeds({ db, chance, plan })
  const all: Weighted = [
    ...changes,
    [24, (id) => say(id)],
    [
      3,
      (id) => say(id, { authorId: agent(handle()), authorKind: 'bot', hops: chance.between(0, 5) }),
    ],
    [1, (id) => say(id, { authorId: toActorId('hook_ci'), authorKind: 'webhook' })],
    [1, (id) => say(id, { wakes: false })],
    [4, ask],
    [2, (id) => void append(id, { kind: 'thread.continue', body: {}, readable: false })],
    [4, edit],
    [3, remove],
    [2, handOver],
    [4, (id) => stop(id, author(), `pat:stop:${(made += 1)}`)],
  ]

  function ask(threadId: ThreadId): void {
    const { bots } = requireThread(house, threadId)
    const asked = db.rosterOf(threadId).bots.find(({ id }) => id === agent(handle()))
    if (asked === undefined || asked.muted || bots.length === 0) return
    append(threadId, { kind: 'thread.ask', body: { bot: asked.id }, readable: false })
  }

  function edit(threadId: ThreadId): void {
    const message = messageIn(threadId)
    if (message === undefined || message.authorKind !== 'person') return
    const { entries, bots } = requireThread(house, threadId)
    const before = entries.findLast(
      (entry) =>
        entry === message || (entry.kind === 'chat.edit' && entry.body.target === message.seq),
    )
    const body = words(threadId)
    const known: readonly ActorId[] =
      before?.kind === 'chat' || before?.kind === 'chat.edit' ? before.body.mentions : []
    const added = body.everyone
      ? bots.map(({ id }) => id)
      : body.mentions.filter((id) => !known.includes(id))
    append(threadId, {
      kind: 'chat.edit',
      body: { target: message.seq, ...body, added },
      authorId: message.authorId,
      wakes: added.length > 0,
      readable: false,
    })
  }

  function remove(threadId: ThreadId): void {
    const target = messageIn(threadId)?.seq
    if (target === undefined) return
    append(threadId, { kind: 'chat.delete', body: { target }, wakes: false, readable: false })
  }

  function handOver(threadId: ThreadId): void {
    const handover = { childThreadId: threadId, status: 'completed' } as const
    const body = { text: newWords(), mentions: [agent(handle())], everyone: false, handover }
    append(threadId, { kind: 'chat', body, authorId: agent('system'), authorKind: 'system' })
  }

  return {
    acknowledged,
    next() {
      const threadId = chance.oneOf(db.threadIds)
      if (threadId === undefined) return
      deedOf(chance, plan.fickle && chance.is(0.5) ? settings : all)(threadId)
    },
  }
}
