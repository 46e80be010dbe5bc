import { type Entry, toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { randomUUID } from 'node:crypto'

import type { Database } from '../../packages/core/db/executor.ts'
import { buildAgentTools } from '../../packages/core/dispatch/agent-tools.ts'
import type { BotTurn, Dispatcher } from '../../packages/core/dispatch/bot-turn.ts'
import type { Clock } from '../../packages/core/dispatch/clock.ts'
import { runBotTurn } from '../../packages/core/dispatch/dispatch.ts'
import type { AgentTool } from '../../packages/core/dispatch/tool.ts'
import { createBooks } from '../../packages/core/models/ledger.ts'
import type { Model } from '../../packages/core/models/model.ts'
import type { TurnResult } from '../../packages/core/threads/turn.ts'
import { decisionBody } from './decision-body.ts'
import { storyteller } from './entries.ts'
import { fakeClock } from './fake-clock.ts'
import { type RecordedWrites, recordWrites } from './turn-writes.ts'

export interface Scene<M extends Model = Model> {
  readonly run: (over?: Partial<BotTurn>) => Promise<TurnResult>
  readonly stored: () => readonly Entry[]
  /** Names of the probe tools that ran: `look` changes nothing, `fire` runs once. */
  readonly ran: readonly string[]
  /** Streamed text, and `/` where it began anew. */
  readonly shown: readonly string[]
  readonly model: M
  readonly writes: RecordedWrites
  readonly decision: BotTurn['decision']
  readonly houseId: string
  readonly threadId: BotTurn['threadId']
}

/** A thread in which Mia has asked ann something, and ann's turn over what `model` answers. */
export function sceneWith<M extends Model>(
  db: Database,
  model: M,
  clock: Clock = fakeClock(),
): Scene<M> {
  const story = storyteller()
  const houseId = toHouseId(randomUUID())
  const threadId = toThreadId(randomUUID())
  const asked = story.add('chat', 'mia', { text: 'ann, please' })
  const writes = recordWrites(db, { story, author: 'ann', decision: 1 })
  const ran: string[] = []
  const shown: string[] = []
  const turn: BotTurn = {
    houseId,
    threadId,
    bot: ANN,
    decision: decisionBody({ to: asked.seq, seen: asked.seq, speaker: ANN.id }),
    entries: [asked],
    after: 0,
    stored: async () => writes.entries,
    attempts: 1,
    roster: new Map([
      [toActorId('ann'), { name: 'Ann', handle: 'ann' }],
      [toActorId('mia'), { name: 'Mia', handle: 'mia' }],
    ]),
    toolRules: { allow: undefined, deny: [] },
    notes: [],
    writes,
    signal: new AbortController().signal,
    isOurs: () => true,
    betweenRounds: async () => undefined,
    onText: (text) => shown.push(text),
    onRestart: () => shown.push('/'),
  }
  const dispatcher: Dispatcher = {
    db,
    books: createBooks(db),
    clock,
    models: {
      defaultName: model.id,
      names: [model.id],
      find: (name) => (name === 'gone/model' ? undefined : model),
    },
    newCallId: randomUUID,
    // Longer than the longest wait for a provider, so that a clock can tell the two apart.
    idleMs: 61_000,
    buildTools: (ctx) => [
      ...buildAgentTools(ctx, new Map()),
      probe('look', 'none', ran),
      probe('fire', 'once', ran),
    ],
  }
  return {
    ran,
    shown,
    model,
    writes,
    houseId,
    threadId,
    decision: turn.decision,
    stored: () => writes.entries,
    run: (over = {}) => runBotTurn(dispatcher, { ...turn, ...over }),
  }
}

const ANN = {
  id: toActorId('ann'),
  name: 'Ann',
  handle: 'ann',
  prompt: 'You are kind.',
  voice: '',
  arbeContext: true,
  model: '',
}

function probe(name: string, effect: 'none' | 'once', ran: string[]): AgentTool {
  return {
    owner: 'test',
    offered: 'always',
    spec: { name, description: '', parameters: { type: 'object' } },
    effect,
    async run() {
      ran.push(name)
      return { text: `${name} ran`, isError: false }
    },
  }
}
