import type { ThreadId, ThreadState } from '@arbe/sdk'
import type { AppendInput } from '@arbe/sdk/api'
import { randomUUID } from 'node:crypto'
import { readConfig } from '../../apps/backstage/src/config.ts'
import { runBackstage } from '../../apps/backstage/src/run-backstage.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import { buildAgentTools } from '../../packages/core/dispatch/agent-tools.ts'
import type { AgentTool } from '../../packages/core/dispatch/tool.ts'
import { createBooks } from '../../packages/core/models/ledger.ts'
import type { Model } from '../../packages/core/models/model.ts'
import type { EntryDraft } from '../../packages/core/streams/entry-draft.ts'
import type { EphemeralEvent } from '../../packages/core/streams/ephemeral-outbox.ts'
import { openLiveBus } from '../../packages/core/streams/live-bus.ts'
import { appendEntry } from '../../packages/core/streams/thread-stream.ts'
import { createThreadDirectorStore } from '../../packages/core/thread-director/thread-director-store.ts'
import { createTurnStore } from '../../packages/core/thread-director/turn-store.ts'
import { appendMessage } from '../../packages/core/threads/append-message.ts'
import { openThread } from '../../packages/core/threads/open-thread.ts'
import { arrangeHouse } from './arranged-house.ts'
import { type HandClock, handClock } from './hand-clock.ts'

/** A house whose worker's clock stands still, and whose bots may call `hold`: it runs until it is let go, or stopped. */
export interface HeldHouse extends AsyncDisposable {
  readonly threadId: ThreadId
  readonly clock: HandClock
  /** Of the bots, by their ids. */
  readonly names: ReadonlyMap<string, string>
  /** Everything that passes by in the thread, as the worker tells it. */
  readonly events: readonly EphemeralEvent[]
  /** As it was told last; undefined while nothing was told. */
  readonly state: ThreadState | undefined
  readonly errors: readonly unknown[]
  /** Fulfilled when what was told so far fulfils the condition. */
  until(isTrue: () => boolean): Promise<void>
  /** Lets time pass second by second; a renewal that falls due is answered before it goes on. */
  pass(seconds: number, each: () => void): Promise<void>
  /** Through the door; the worker hears of it only when it is told to. */
  say(input: AppendInput, hears?: 'nothing'): Promise<void>
  letGo(): void
}

export async function openHeldHouse(db: Database, model: Model, text: string): Promise<HeldHouse> {
  const { owner, threadId } = await arrangeHouse(db, text)
  const { roster } = await openThread(db, owner, { threadId })
  const clock = handClock(Date.now())
  const bus = await openLiveBus(db)
  const director = createThreadDirectorStore(db, (hint) => bus.appended(hint))
  const events: EphemeralEvent[] = []
  const errors: unknown[] = []
  const renewals = new Set<Promise<unknown>>()
  let news = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  const worker = runBackstage({
    db,
    bus: {
      ...bus,
      publish(event) {
        if (event.threadId === threadId) events.push(event)
        bus.publish(event)
        news.resolve()
        news = Promise.withResolvers()
      },
    },
    store: {
      ...director,
      renew(...lease) {
        const renewal = director.renew(...lease)
        renewals.add(renewal)
        return renewal.finally(() => renewals.delete(renewal))
      },
    },
    turns: createTurnStore(db),
    books: createBooks(db),
    buildTools: (ctx) => [...buildAgentTools(ctx, new Map()), holdTool(() => gate.promise)],
    toolNames: async () => () => [],
    models: { find: () => model, defaultName: model.id, names: [model.id] },
    clock,
    timeOfDay: () => clock.now(),
    random: Math.random,
    newCallId: randomUUID,
    holder: randomUUID(),
    config: readConfig({}),
    tidyUp: async () => undefined,
    onError: (error) => void errors.push(error),
  })
  const door = {
    db,
    append: (draft: EntryDraft) => appendEntry(db, draft),
    async stop(order: Parameters<typeof director.stop>[0]) {
      await director.stop(order)
      bus.publish({ type: 'stop', threadId })
    },
  }
  return {
    threadId,
    clock,
    names: new Map(roster.bots.map(({ id, name }) => [id, name])),
    events,
    get state() {
      const last = events.findLast((event) => event.type === 'state')
      return last?.type === 'state' ? last.state : undefined
    },
    errors,
    async until(isTrue) {
      while (!isTrue()) await news.promise
    },
    async pass(seconds, each) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1_000)
        await Promise.all(renewals)
        each()
      }
    },
    async say(input, hears) {
      const message = { threadId, clientKey: randomUUID(), input }
      const { seq } = await appendMessage(door, owner, message)
      if (hears === undefined) bus.appended({ threadId, seq, wakes: true })
    },
    letGo() {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await worker.close()
      await bus.close()
    },
  }
}

function holdTool(gate: () => Promise<void>): AgentTool {
  return {
    owner: 'test',
    offered: 'always',
    spec: { name: 'hold', description: 'Takes its time.', parameters: { type: 'object' } },
    effect: 'once',
    async run({ signal }) {
      const stopped = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => stopped.resolve(), { once: true })
      await Promise.race([gate(), stopped.promise])
      return { text: 'held', isError: false }
    },
  }
}
