import type { Hold } from '../apps/backstage/src/lease-keeper.ts'
import { NO_USAGE, type ActorId, type Entry, toThreadId } from '@arbe/sdk'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Director, runThreadDirectorWake } from '../apps/backstage/src/thread-director-wake.ts'
import {
  draftDecision,
  draftGiveUp,
} from '../packages/core/thread-director/thread-director-draft.ts'
import { viewOf } from '../packages/core/thread-director/thread-director-entry-view.ts'
import { createMemoryHouse } from '../packages/core/thread-director/thread-director-memory-house.ts'
import { createMemoryStore } from '../packages/core/thread-director/thread-director-memory.ts'
import { decide } from '../packages/core/thread-director/thread-director-rules.ts'
import { checkStream } from './support/check-stream.ts'
import { agent, bot, person, resultOf } from './support/director-trace.ts'
import { brokenLimits } from './support/limit-oracle.ts'

// Workers die between any two steps of the store, in the middle of turns that never end a loop, and others go on.

const LEASE_MS = 12_000
const MOST_ATTEMPTS = 8
const threadId = toThreadId('thr_1')
const handles = ['ann', 'bo', 'cy']
const bots = handles.map((handle) => bot(handle))
const people = [{ id: person('mia'), name: 'mia', handle: 'mia' }]

const words = fc
  .array(fc.constantFrom('@ann', '@bo', '@cy', '@mia', 'go on', 'why?'), {
    minLength: 1,
    maxLength: 3,
    size: 'max',
  })
  .map((parts) => parts.join(' '))

const story = fc.record({
  settings: fc.record({
    banter: fc.boolean(),
    limitPerBot: fc.integer({ min: 1, max: 3 }),
    limitPerThread: fc.integer({ min: 1, max: 6 }),
  }),
  /** What is said before each rest: by Mia, or by a bot that is driven from outside. */
  said: fc.array(fc.tuple(fc.constantFrom('mia', 'ann', 'bo'), words), {
    minLength: 1,
    maxLength: 6,
    size: 'max',
  }),
  /** What turns answer, over and over; null: they pass. */
  replies: fc.array(fc.option(words), { minLength: 1, maxLength: 4 }),
  /** How many steps each worker has until it dies. */
  lives: fc.array(fc.nat({ max: 25 }), { maxLength: 12, size: 'max' }),
})

type Story = typeof story extends fc.Arbitrary<infer S> ? S : never

async function play({ settings, said, replies, lives }: Story) {
  let now = Date.UTC(2030, 0, 1)
  let turns = 0
  const house = createMemoryHouse(() => now)
  const thread = { title: '', hops: 0, directorModel: null, ...settings }
  house.addThread(threadId, { people, bots, settings: thread })
  const deaths = [...lives]
  for (const [at, [author, text]] of said.entries()) {
    post(at, author, text)
    while (house.queue.has(threadId)) {
      const life = deaths.shift()
      await work(life).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error
        // The director's row is a cache: it may be gone with the worker.
        if (life !== undefined && life % 2 === 1) house.directors.delete(threadId)
      })
      // Long enough for a lease of the dead to lapse, and for every back-off.
      now += LEASE_MS + 301_000
    }
  }
  const entries = house.threads.get(threadId)?.entries ?? []
  return { entries, turns, settings: thread }

  function post(at: number, author: string, text: string): void {
    const { mentions } = parseMentions<ActorId>(text, [...bots, ...people])
    const isPerson = author === 'mia'
    house.append({
      threadId,
      key: `test:${at}`,
      kind: 'chat',
      authorId: isPerson ? person(author) : agent(author),
      authorKind: isPerson ? 'person' : 'bot',
      wakes: true,
      readable: true,
      causedBy: null,
      hops: 0,
      body: { text, mentions: mentionedIds(mentions), everyone: false },
    })
  }

  async function work(life = Number.POSITIVE_INFINITY): Promise<void> {
    let steps = 0
    const store = createMemoryStore(house, {
      step: async () => {
        if ((steps += 1) > life) throw new Died('a worker is dead')
      },
    })
    const director: Director = {
      store,
      async hold(id): Promise<Hold | undefined> {
        const claim = await store.claim(id, { id: 'w', leaseMs: LEASE_MS })
        if (claim.status !== 'claimed') return undefined
        const { signal } = new AbortController()
        const isOurs = () => true
        return { lease: claim.lease, signal, isOurs, [Symbol.asyncDispose]: async () => undefined }
      },
      async decide({ lease }, capture) {
        const view = viewOf(capture)
        if (lease.attempts > MOST_ATTEMPTS) return draftGiveUp(view, 'too often')
        const answer = decide(view)
        if (answer.kind === 'free') return draftDecision(view, answer, 0)
        const speaker = answer.candidates[0] ?? null
        const call = { question: answer, reason: '', model: 'm', cost: 0, salvaged: false }
        return draftDecision(view, { ...call, usage: NO_USAGE, kind: 'paid', speaker }, 0)
      },
      async takeTurn() {
        turns += 1
        return resultOf(replies[turns % replies.length] ?? { status: 'passed' })
      },
      onFailure(_, error) {
        if (!(error instanceof Died)) throw error
      },
    }
    await runThreadDirectorWake(director, threadId)
  }
}

class Died extends Error {
  override readonly name = 'Died'
}

const decisionsIn = (entries: readonly Entry[]) =>
  entries.flatMap(({ kind, body }) => (kind === 'signal.thread_director.decision' ? [body] : []))

test('[C2] [I9] no sequence of bots’ messages runs past the limits, whenever workers die', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { entries, turns, settings } = await play(told)
      const decisions = decisionsIn(entries)
      const captures = decisions.map(() => ({ thread: settings }))
      expect(brokenLimits({ entries, decisions, captures })).toEqual([])
      expect(checkStream(entries, { quiet: true })).toEqual([])
      // A death can make a turn run again, and nothing else can.
      const spoken = decisions.filter(({ speaker }) => speaker !== null).length
      expect(turns).toBeLessThanOrEqual(spoken + told.lives.length)
    }),
    { numRuns: 600 },
  )
})
