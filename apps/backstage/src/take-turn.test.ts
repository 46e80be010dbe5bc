import type { Database } from '@arbe/core/db/executor'
import { buildAgentTools } from '@arbe/core/dispatch/agent-tools'
import type { ToolContext } from '@arbe/core/dispatch/tool'
import { systemClock } from '@arbe/core/dispatch/clock'
import { createBooks } from '@arbe/core/models/ledger'
import type { ModelReply } from '@arbe/core/models/model'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import { createThreadDirectorStore } from '@arbe/core/thread-director/thread-director-store'
import { createTurnStore } from '@arbe/core/thread-director/turn-store'
import { changeThread, type ThreadPatch } from '@arbe/core/threads/change-thread'
import type { TurnResult } from '@arbe/core/threads/turn'
import type { ActorId } from '@arbe/sdk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ArrangedHouse, arrangeHouse } from '../../../test/support/arranged-house.ts'
import { eachEngine } from '../../../test/support/each-engine.ts'
import { calls, type FakeModel, fakeModel, says } from '../../../test/support/fake-model.ts'
import { decideNext } from './decide-next.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import { LiveShow } from './live-show.ts'
import { takeTurn } from './take-turn.ts'
import { type Director, runThreadDirectorWake } from './thread-director-wake.ts'

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  describe('the speaker is', () => {
    const ways: readonly (readonly [string, (bot: ActorId) => ThreadPatch])[] = [
      ['muted', (bot) => ({ mutes: [{ bot, muted: true }] })],
      ['removed', (bot) => ({ removeBots: [bot] })],
    ]

    test.each(ways)('%s before its turn began: it does not speak', async (_way, patch) => {
      const scene = await chosen()
      await scene.change(patch)
      expect(await scene.takeTurn()).toMatchObject({
        status: 'cancelled',
        because: 'speaker_left',
        rounds: 0,
      })
      expect(scene.model.requests).toEqual([])
    })

    test.each(ways)('%s after its last words were stored: they are said', async (_way, patch) => {
      const scene = await chosen()
      await scene.stored(says('It is done.'))
      await scene.change(patch)
      expect(await scene.takeTurn()).toMatchObject({
        status: 'replied',
        text: 'It is done.',
        rounds: 1,
      })
      expect(scene.model.requests).toEqual([])
    })

    test('muted in the middle of its turn: it goes on to the end', async () => {
      const scene = await chosen()
      await scene.stored(READ)
      await scene.change((bot) => ({ mutes: [{ bot, muted: true }] }))
      expect(await scene.takeTurn()).toMatchObject({ status: 'replied', text: 'Said.', rounds: 2 })
    })

    test('removed in the middle of its turn: no model is asked any more', async () => {
      const scene = await chosen()
      await scene.stored(READ)
      await scene.change((bot) => ({ removeBots: [bot] }))
      expect(await scene.takeTurn()).toMatchObject({
        status: 'cancelled',
        because: 'speaker_left',
        rounds: 1,
      })
      expect(scene.model.requests).toEqual([])
    })
  })

  test('[I7] a turn that throws before it can begin is given up after its eighth attempt, and says so', async () => {
    const { threadId } = await arrangeHouse(db, '@ada what does the log say?')
    const parts = partsWith(fakeModel(says('Said.')))
    const context = () => Promise.reject(new Error('no context'))
    const broken = { ...parts, turns: { ...parts.turns, context } }
    const keeper = createLeaseKeeper(parts.store, 'worker', TIMES)
    const failures: unknown[] = []
    const director: Director = {
      store: parts.store,
      hold: (id) => keeper.hold(id),
      decide: (hold, capture) => decideNext(parts, hold, { view: viewOf(capture), d: capture.d }),
      async takeTurn(hold, capture, decision) {
        using show = new LiveShow({ bus: { publish: () => undefined }, hold, ...TIMES })
        const order = { hold, show, capture, decision, onAppended: () => undefined }
        return await takeTurn(broken, order)
      },
      onFailure: (_, error) => failures.push(error),
    }
    for (let wake = 0; wake < 10; wake += 1) {
      await db.query('update thread_directors set retry_at = null where thread_id = $1', [threadId])
      await runThreadDirectorWake(director, threadId)
    }
    expect(failures.map(String)).toEqual(failures.map(() => 'Error: no context'))
    const [row] = await db.query(
      `select d.last_decision ->> 'rule' as rule, d.holder, (select array_agg(e.body ->> 'because')
          from entries e where e.thread_id = $1 and e.kind = 'signal.thread_director.outcome') as outcomes
        from thread_directors d where d.thread_id = $1`,
      [threadId],
    )
    expect([failures.length, row]).toEqual([
      8,
      { rule: 'mention', holder: null, outcomes: ['gave_up'] },
    ])
  })

  function partsWith(model: FakeModel) {
    return {
      db,
      store: createThreadDirectorStore(db, () => undefined),
      turns: createTurnStore(db),
      books: createBooks(db),
      buildTools: (ctx: ToolContext) => buildAgentTools(ctx, new Map()),
      models: { find: () => model, defaultName: model.id, names: [model.id] },
      clock: systemClock,
      newCallId: randomUUID,
      idleMs: 60_000,
      random: Math.random,
      toolNames: () => Promise.reject(new Error('no director’s model is asked')),
      quietMs: 0,
    }
  }

  /** A thread in which Ada was chosen, under a lease of its own. */
  async function chosen() {
    const house = await arrangeHouse(db, '@ada what does the log say?')
    const model = fakeModel(says('Said.'))
    const parts = partsWith(model)
    const { store, turns } = parts
    const claim = await store.claim(house.threadId, { id: 'worker', leaseMs: 60_000 })
    if (claim.status !== 'claimed') throw new Error(`the thread is ${claim.status}`)
    const { lease } = claim
    const { signal } = new AbortController()
    const hold = { lease, signal, isOurs: () => true, [Symbol.asyncDispose]: async () => undefined }
    const before = await store.capture(lease)
    const draft = await decideNext(parts, hold, { view: viewOf(before), d: before.d })
    if (draft === undefined) throw new Error('a mention is decided at once')
    const answer = await store.storeDecision(lease, before.rosterVersion, draft)
    const { decision } = answer.status === 'stored' ? answer : { decision: undefined }
    if (decision === undefined || decision.speaker === null) throw new Error('Ada is chosen')
    const spoken = { ...decision, speaker: decision.speaker }
    return {
      model,
      async stored(reply: ModelReply): Promise<void> {
        if (reply.status !== 'ok') throw new Error('only an answer is stored')
        const { message } = reply
        const writes = turns.writes({ lease, decision }, () => undefined)
        await writes.assistant({ round: 0, message, ms: 1 })
      },
      change: (patch: (bot: ActorId) => ThreadPatch) => change(house, patch(spoken.speaker)),
      async takeTurn(): Promise<TurnResult> {
        using show = new LiveShow({ bus: { publish: () => undefined }, hold, ...TIMES })
        const capture = await store.capture(lease)
        const order = { hold, show, capture, decision: spoken, onAppended: () => undefined }
        return await takeTurn(parts, order)
      },
    }
  }

  function change({ owner, threadId }: ArrangedHouse, patch: ThreadPatch): Promise<void> {
    return db.transaction((tx) => changeThread(tx, owner, { threadId, patch }))
  }
})

const TIMES = { clock: systemClock, timeOfDay: Date.now, leaseMs: 60_000, renewMs: 20_000 }

const READ = calls(['read_file', { path: 'log.txt' }])
