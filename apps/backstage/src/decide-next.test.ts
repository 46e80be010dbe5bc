import { createBooks } from '@arbe/core/models/ledger'
import { viewOf } from '@arbe/core/thread-director/thread-director-entry-view'
import { toHouseId, toThreadId } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { bot, directorTrace } from '../../../test/support/director-trace.ts'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import { decideNext } from './decide-next.ts'

type Thread = ReturnType<typeof directorTrace>

const QUIET_MS = 400

/** A worker whose director's model is unknown: whoever comes to ask it is told so at once. */
function worker(attempts = 1) {
  const clock = fakeClock()
  const stop = new AbortController()
  const lease = {
    threadId: toThreadId('thr_1'),
    houseId: toHouseId('hou_1'),
    fence: 1,
    attempts,
  }
  const hold = {
    lease,
    signal: stop.signal,
    isOurs: () => true,
    [Symbol.asyncDispose]: async () => undefined,
  }
  const parts = {
    books: createBooks({ query: () => Promise.reject(new Error('no books are needed')) }),
    models: { find: () => undefined, defaultName: 'none/none', names: [] },
    clock,
    newCallId: () => 'call_1',
    random: () => 0,
    toolNames: () => Promise.reject(new Error('no model is asked')),
    quietMs: QUIET_MS,
  }
  const decide = (thread: Thread) =>
    decideNext(parts, hold, { view: viewOf(thread.capture()), d: 1 })
  return { clock, decide, stop }
}

function roomOf(...handles: string[]): Thread {
  return directorTrace({ bots: handles.map((handle) => bot(handle)), people: ['mia', 'ben'] })
}

describe('before a model is asked', () => {
  test('[D15] texts within 400 ms are waited for and then decided about as one', async () => {
    const { clock, decide } = worker()
    const thread = roomOf('ann', 'bo')
    for (const text of ['one thing', 'and another', 'which of both?']) {
      thread.say('mia', text)
      thread.later(100)
      expect(await clock.run(decide(thread))).toBeUndefined()
    }
    thread.later(QUIET_MS - 100)
    expect(await clock.run(decide(thread))).toMatchObject({
      from: 0,
      to: 3,
      kind: 'undecided',
      rule: 'unavailable',
    })
    expect(clock.sleeps).toEqual([300, 300, 300])
  })

  test('[D15] a burst that does not end is decided about after two seconds', async () => {
    const { clock, decide } = worker()
    const thread = roomOf('ann', 'bo')
    for (let at = 0; at < 10; at += 1) {
      thread.say('mia', 'and also this')
      thread.later(190)
    }
    expect(await clock.run(decide(thread))).toBeUndefined()
    expect(clock.sleeps).toEqual([100])
    thread.later(100)
    expect(await clock.run(decide(thread))).toMatchObject({ kind: 'undecided', to: 10 })
  })

  test('[D15] Stop does not wait for the quiet', async () => {
    const { clock, decide, stop } = worker()
    const thread = roomOf('ann', 'bo')
    thread.say('mia', 'one thing')
    const before = clock.now()
    const deciding = decide(thread)
    stop.abort()
    expect(await deciding).toBeUndefined()
    expect(clock.now()).toBe(before)
  })
})

test('[D15] what a free rule answers is not waited for', async () => {
  const { clock, decide } = worker()
  const thread = roomOf('ann', 'bo')
  thread.say('mia', '@ann hello')
  expect(await decide(thread)).toMatchObject({ kind: 'free', rule: 'mention' })
  expect(clock.sleeps).toEqual([])
})

test('[I7] a pass that was tried eight times in vain is given up, and what is owed up to there is void', async () => {
  const thread = roomOf('ann', 'bo')
  thread.say('mia', '@ann hello')
  expect(await worker(8).decide(thread)).toMatchObject({ rule: 'mention', speaker: 'agt_ann' })
  expect(await worker(9).decide(thread)).toMatchObject({
    kind: 'undecided',
    rule: 'gave_up',
    speaker: null,
    requests: [],
    voided: [{ bot: 'agt_ann', why: 'gave_up' }],
    error: "tried 8 times; the server's log has the reason",
  })
})
