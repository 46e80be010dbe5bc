import { type ActorId, type BotRequest, type ThreadId, toActorId, toOffset } from '@arbe/sdk'
import { BotInputSchema, type Role } from '@arbe/sdk/api'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'

import type { PersonActor } from '../../packages/core/access/authorship.ts'
import { createHouse } from '../../packages/core/access/houses.ts'
import { addMember } from '../../packages/core/access/members.ts'
import { createBot } from '../../packages/core/bots/bots.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import { buildAgentTools } from '../../packages/core/dispatch/agent-tools.ts'
import type { SandboxRuntimes } from '../../packages/core/dispatch/sandbox.ts'
import type { AppendHint } from '../../packages/core/streams/live-bus.ts'
import { appendEntry } from '../../packages/core/streams/thread-stream.ts'
import { createThread } from '../../packages/core/threads/create-thread.ts'
import { openThread } from '../../packages/core/threads/open-thread.ts'
import type { ToolOutcome } from '../../packages/core/threads/turn.ts'

export type TurnHouse = Awaited<ReturnType<typeof openTurnHouse>>

export interface TurnOptions {
  readonly hops?: number
  /** What the turn serves; without it the turn answers all that the decision covers. */
  readonly serves?: readonly number[]
  readonly from?: number
}

/** A house whose decisions a test stores by hand, to call tools as the turn of such a decision would. */
export async function openTurnHouse(
  db: Database,
  name: string,
  runtimes: SandboxRuntimes = new Map(),
) {
  const { houseId, ownerId } = await db.transaction((tx) =>
    createHouse(tx, { name, ownerName: 'Mia', ownerHandle: 'mia' }),
  )
  const mia: PersonActor = {
    kind: 'person',
    tokenKind: 'ses',
    tokenHash: '',
    role: 'owner',
    houseId,
    id: ownerId,
  }
  let keys = 0
  const nextKey = (): string => `k${++keys}`

  async function say(threadId: ThreadId, id: ActorId, text: string, caused?: number) {
    const { roster } = await openThread(db, { houseId, id: mia.id }, { threadId })
    const { mentions } = parseMentions(text, [...roster.bots, ...roster.people])
    const appended = await appendEntry(db, {
      houseId,
      threadId,
      key: nextKey(),
      authorId: id,
      authorKind: kindOf(id),
      kind: 'chat',
      body: { text, mentions: mentionedIds(mentions) },
      wakes: true,
      readable: true,
      ...(caused === undefined ? {} : { causedBy: caused }),
    })
    if (!('seq' in appended)) throw new Error(`"${text}" was not said`)
    return appended.seq
  }

  /** A decision over all that was said since `from`, and its bot's hands. */
  async function turn(threadId: ThreadId, speaker: ActorId, options: TurnOptions = {}) {
    const { hops = 0, from = 0, serves = [] } = options
    const [head] = await db.query<{ head: number; d: number }>(
      `select t.head, (select count(*)::int + 1 from entries e where e.thread_id = t.id
         and e.kind = 'signal.thread_director.decision') as d from threads t where t.id = $1`,
      [threadId],
    )
    if (head === undefined) throw new Error(`there is no ${threadId}`)
    const to = toOffset(head.head)
    const requests = serves.map((entry): BotRequest => ({
      bot: speaker,
      entry: toOffset(entry),
      by: 'mention',
      person: true,
      hops,
    }))
    await appendEntry(db, {
      houseId,
      threadId,
      key: `arbe:decision:${head.d}`,
      authorId: toActorId('director'),
      authorKind: 'director',
      kind: 'signal.thread_director.decision',
      wakes: false,
      readable: false,
      body: { ...EMPTY, d: head.d, from, to, seen: to, speaker, hops, requests },
    })
    return handsOf({ threadId, agentId: speaker, decision: head.d, hops })
  }

  function handsOf(place: {
    readonly threadId: ThreadId
    readonly agentId: ActorId
    readonly decision: number
    readonly hops: number
  }) {
    const tools = buildAgentTools({ ...place, houseId, db }, runtimes)
    const { signal } = new AbortController()
    const hints: AppendHint[] = []
    return {
      decision: place.decision,
      /** What was told of other streams. */
      hints,
      /** An effect runs as in a turn: what fails is rolled back. */
      call: async (tool: string, args: object = {}, effectKey = nextKey()): Promise<string> => {
        const found = tools.find(({ spec }) => spec.name === tool)
        if (found === undefined) throw new Error(`no tool ${tool}`)
        const run = { args, signal, effectKey, appended: (hint: AppendHint) => hints.push(hint) }
        const outcome = await (
          found.effect === 'idempotent'
            ? db.transaction((tx) => found.apply(tx, run))
            : found.run(run)
        ).catch((error: unknown): ToolOutcome => ({ text: String(error), isError: true }))
        return outcome.text
      },
    }
  }

  return {
    houseId,
    mia,
    say,
    turn,
    addPerson: async (name: string, role: Exclude<Role, 'owner'> = 'member') =>
      toActorId((await db.transaction((tx) => addMember(tx, houseId, { name, role }))).id),
    addBot: (name: string) =>
      db.transaction((tx) => createBot(tx, houseId, BotInputSchema.parse({ name }))),
    addThread: (people: readonly ActorId[], bots: readonly ActorId[], title = '') =>
      db.transaction((tx) => createThread(tx, mia, { title, people, bots })),
  }
}

function kindOf(id: ActorId): 'person' | 'bot' | 'webhook' {
  if (id.startsWith('usr_')) return 'person'
  return id.startsWith('agt_') ? 'bot' : 'webhook'
}

const EMPTY = {
  fence: 1,
  kind: 'free' as const,
  candidates: [],
  voided: [],
  turnsSincePerson: [],
  passedBy: [],
  paidCalls: 0,
  cost: 0,
  ms: 0,
}
