import { systemClock } from '@arbe/core/dispatch/clock'
import type { Claim, Lease } from '@arbe/core/thread-director/thread-director-port'
import { toHouseId, toThreadId } from '@arbe/sdk'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeModel, says } from '../../../test/support/fake-model.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import { modelsWhile } from './models-while.ts'

const threadId = toThreadId('thr_1')
const lease: Lease = { threadId, houseId: toHouseId('hse_1'), fence: 7, attempts: 1 }
const times = { clock: systemClock, leaseMs: 12_000, renewMs: 4_000 }

function fakeStore(answers: { claim?: Claim; renew?: () => Promise<boolean> } = {}) {
  const renewed: number[] = []
  return {
    renewed,
    claim: async (): Promise<Claim> => answers.claim ?? { status: 'claimed', lease },
    renew: async ({ fence }: Lease): Promise<boolean> => {
      renewed.push(fence)
      return (await answers.renew?.()) ?? true
    },
  }
}

const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof Error ? signal.reason.message : ''

beforeEach(() =>
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  }),
)
afterEach(() => vi.useRealTimers())

describe('a held thread', () => {
  test('[D10] is renewed for as long as it is held, however long its turn takes', async () => {
    const store = fakeStore()
    const hold = await createLeaseKeeper(store, 'w1', times).hold(threadId)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(hold?.signal.aborted).toBe(false)
    expect(store.renewed).toEqual(Array.from({ length: 15 }, () => 7))
  })

  test('is given up by the own clock before the lease can lapse, when renewals do not come through', async () => {
    const store = fakeStore({ renew: () => Promise.reject(new Error('no connection')) })
    const hold = await createLeaseKeeper(store, 'w1', times).hold(threadId)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(hold?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(hold?.signal.aborted).toBe(true)
    expect(times.leaseMs).toBeGreaterThan(10_000)
  })

  test('is given up at once when the store says that another holds it', async () => {
    const store = fakeStore({ renew: async () => false })
    const hold = await createLeaseKeeper(store, 'w1', times).hold(threadId)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(hold && reasonOf(hold.signal)).toBe('the thread was taken over')
  })

  test('a renewal that hangs counts from when it was asked, not from when it came back', async () => {
    const answer = Promise.withResolvers<boolean>()
    const answers = [answer.promise]
    const renew = (): Promise<boolean> => answers.shift() ?? Promise.reject(new Error('cut off'))
    const hold = await createLeaseKeeper(fakeStore({ renew }), 'w1', times).hold(threadId)
    await vi.advanceTimersByTimeAsync(9_000)
    answer.resolve(true)
    // Asked at 4 s, so it holds until 14 s.
    await vi.advanceTimersByTimeAsync(4_999)
    expect(hold?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(hold?.signal.aborted).toBe(true)
  })

  test('is no longer renewed once it is disposed', async () => {
    const store = fakeStore()
    const hold = await createLeaseKeeper(store, 'w1', times).hold(threadId)
    await hold?.[Symbol.asyncDispose]()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(store.renewed).toEqual([])
    expect(hold?.signal.aborted).toBe(false)
  })

  test('ends when this process claims the thread again', async () => {
    const keeper = createLeaseKeeper(fakeStore(), 'w1', times)
    const first = await keeper.hold(threadId)
    const second = await keeper.hold(threadId)
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false])
    await first?.[Symbol.asyncDispose]()
    keeper.abort(threadId, 'stopped')
    expect(second && reasonOf(second.signal)).toBe('stopped')
  })
})

describe('a process that stood still', () => {
  /** Time passes, and whatever was to be called then is not called yet. */
  function standstill() {
    let now = 0
    const never = () => () => undefined
    const clock = { now: () => now, sleep: async () => undefined, after: never, every: never }
    return { clock, pass: (ms: number) => (now += ms) }
  }

  async function held() {
    const { clock, pass } = standstill()
    const hold = await createLeaseKeeper(fakeStore(), 'w1', { ...times, clock }).hold(threadId)
    if (hold === undefined) throw new Error('the thread is free')
    return { hold, pass }
  }

  test('[R-16] knows that its time is up before a timer tells it', async () => {
    const { hold, pass } = await held()
    pass(10_000)
    expect(hold.isOurs()).toBe(false)
    expect(reasonOf(hold.signal)).toBe('the lease could not be renewed in time')
  })

  test('goes on when there is time left', async () => {
    const { hold, pass } = await held()
    pass(9_999)
    expect([hold.isOurs(), hold.signal.aborted]).toEqual([true, false])
  })

  test('[R-16] asks no model any more', async () => {
    const { hold, pass } = await held()
    const model = fakeModel(says('Late.'))
    const models = { find: () => model, defaultName: model.id, names: [model.id] }
    const ask = () => {
      const request = { systemPrompt: '', messages: [], tools: [] }
      const options = { signal: hold.signal, onEvent: () => undefined }
      return modelsWhile(hold, models).find('')?.call(request, options)
    }
    expect(await ask()).toMatchObject({ status: 'ok' })
    pass(10_000)
    expect(await ask()).toMatchObject({ status: 'aborted' })
    expect(model.requests).toHaveLength(1)
  })
})

test('a thread that another holds is not held here', async () => {
  const store = fakeStore({ claim: { status: 'busy' } })
  expect(await createLeaseKeeper(store, 'w1', times).hold(threadId)).toBeUndefined()
})
