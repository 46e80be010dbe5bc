import { systemClock } from '@arbe/core/dispatch/clock'
import { draftDecision, draftGiveUp } from '@arbe/core/thread-director/thread-director-draft'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import { createMemoryStore } from '@arbe/core/thread-director/thread-director-memory'
import { createMemoryHouse } from '@arbe/core/thread-director/thread-director-memory-house'
import type { Capture } from '@arbe/core/thread-director/thread-director-port'
import { decide } from '@arbe/core/thread-director/thread-director-rules'
import { LeaseLost, type TurnResult } from '@arbe/core/threads/turn'
import { NO_USAGE, toActorId, toThreadId } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { createLeaseKeeper } from './lease-keeper.ts'
import { type Director, runThreadDirectorWake } from './thread-director-wake.ts'

const threadId = toThreadId('thr_1')
const mia = toActorId('usr_mia')
const ann = toActorId('agt_ann')
const times = { clock: systemClock, leaseMs: 12_000, renewMs: 4_000 }

const bot = {
  id: ann,
  name: 'Ann',
  handle: 'ann',
  description: '',
  mode: 'auto' as const,
  muted: false,
  mutedUntil: null,
  mutedAt: 0,
  external: false,
  model: '',
  tools: [],
}

const replied = (text: string): TurnResult => ({
  status: 'replied',
  text,
  rounds: 1,
  usage: NO_USAGE,
  cost: 0,
  ms: 0,
})

/** A thread with Mia and Ann in memory; `turn` is what Ann does when she is chosen. */
function fakeThread(turn: () => Promise<TurnResult> = async () => replied('Yes.')) {
  let now = Date.UTC(2030, 0, 1)
  const house = createMemoryHouse(() => now)
  house.addThread(threadId, { people: [{ id: mia, name: 'Mia', handle: 'mia' }], bots: [bot] })
  const store = createMemoryStore(house)
  const keeper = createLeaseKeeper(store, 'w1', times)
  const failures: string[] = []
  let said = 0
  const director: Director = {
    store,
    hold: (id) => keeper.hold(id),
    decide: async (hold, capture: Capture) => {
      if (hold.lease.attempts > 8) return draftGiveUp(viewOf(capture), 'too often')
      const answer = decide(viewOf(capture))
      if (answer.kind === 'paid') throw new Error('these tests decide by rules')
      return draftDecision(viewOf(capture), answer, 0)
    },
    takeTurn: turn,
    onFailure: (_, error) => failures.push(error instanceof Error ? error.message : ''),
  }
  return {
    director,
    house,
    keeper,
    failures,
    wake: () => runThreadDirectorWake(director, threadId),
    later: (ms: number) => {
      now += ms
    },
    post(text: string) {
      said += 1
      house.append({
        threadId,
        key: `pat:usr_mia:${said}`,
        kind: 'chat',
        authorId: mia,
        authorKind: 'person',
        wakes: true,
        readable: true,
        causedBy: null,
        hops: 0,
        body: { text, mentions: text.includes('@ann') ? [ann] : [], everyone: false },
      })
    },
    /** Each decision as `(from, to] rule`, each outcome as its status. */
    told: () =>
      (house.threads.get(threadId)?.entries ?? []).flatMap(({ kind, body }) => {
        if (kind === 'signal.thread_director.decision')
          return [`(${body.from}, ${body.to}] ${body.rule ?? body.kind}`]
        return kind === 'signal.thread_director.outcome' ? [body.status] : []
      }),
    isDue: () => house.queue.has(threadId),
  }
}

test('[R-24] a worker that stops ends the turn it is at, begins no other, and leaves the thread due at once', async () => {
  let isClosing = false
  const thread = fakeThread(async () => {
    thread.post('@ann and then?')
    isClosing = true
    return replied('Yes.')
  })
  thread.post('@ann hello')
  const closing = { ...thread.director, isClosing: () => isClosing }
  await runThreadDirectorWake(closing, threadId)
  expect([thread.told(), thread.isDue()]).toEqual([['(0, 1] mention', 'replied'], true])
  expect(await thread.director.store.dueThreads(1)).toEqual([threadId])
})

describe('one wake', () => {
  test('catches up with all that is unread and lets the thread rest', async () => {
    const thread = fakeThread()
    thread.post('@ann hello')
    thread.post('thanks')
    await thread.wake()
    expect(thread.told()).toEqual(['(0, 2] mention', 'replied', '(2, 4] bot_spoke'])
    expect(thread.isDue()).toBe(false)
  })

  test('decides in a pass of its own what comes during a turn', async () => {
    const thread = fakeThread(async () => {
      if (thread.told().length === 1) thread.post('thanks')
      return replied('Yes.')
    })
    thread.post('@ann hello')
    await thread.wake()
    expect(thread.told()).toEqual(['(0, 1] mention', 'replied', '(1, 4] acknowledgement'])
  })

  test('does nothing while another holds the thread', async () => {
    const thread = fakeThread()
    thread.post('@ann hello')
    await using other = await createLeaseKeeper(thread.director.store, 'w2', times).hold(threadId)
    await thread.wake()
    expect([other?.lease.threadId, thread.told()]).toEqual([threadId, []])
  })

  test('takes up a turn that was interrupted before it decides anything', async () => {
    let tries = 0
    const thread = fakeThread(async () => {
      tries += 1
      if (tries === 1) throw new Error('the model library broke')
      return replied('Yes.')
    })
    thread.post('@ann hello')
    await thread.wake()
    expect([thread.failures, thread.told()]).toEqual([
      ['the model library broke'],
      ['(0, 1] mention'],
    ])
    thread.post('thanks')
    thread.later(1_000)
    await thread.wake()
    expect(thread.told()).toEqual(['(0, 1] mention', 'replied', '(1, 4] acknowledgement'])
  })

  test('backs off after a pass that threw, and a wake in between does not shorten that', async () => {
    const thread = fakeThread(() => Promise.reject(new Error('broken')))
    thread.post('@ann hello')
    await thread.wake()
    thread.post('still there?')
    await thread.wake()
    expect(thread.failures).toEqual(['broken'])
    thread.later(1_000)
    await thread.wake()
    expect(thread.failures).toEqual(['broken', 'broken'])
  })

  test('writes nothing more and hands nothing back that is not its own, once the thread is taken over', async () => {
    const thread = fakeThread(async () => {
      await thread.director.store.stop({ threadId, authorId: mia, key: 'ses:usr_mia:stop' })
      return replied('Too late.')
    })
    thread.post('@ann hello')
    await thread.wake()
    expect([thread.told(), thread.failures]).toEqual([['(0, 1] mention', 'cancelled'], []])
  })

  test('gives the thread back with its turn unfinished when the process shuts down', async () => {
    const thread = fakeThread(async () => {
      thread.keeper.abortAll('this worker shuts down')
      throw new LeaseLost('this worker shuts down')
    })
    thread.post('@ann hello')
    await thread.wake()
    expect([thread.told(), thread.isDue()]).toEqual([['(0, 1] mention'], true])
    const next = await createLeaseKeeper(thread.director.store, 'w2', times).hold(threadId)
    // The aborted try is no failed one.
    expect(next?.lease.attempts).toBe(1)
    await next?.[Symbol.asyncDispose]()
  })
})
