import { systemClock } from '@arbe/core/dispatch/clock'
import { setImmediate as firstLook } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toThreadId, type ThreadId } from '@arbe/sdk'
import { startWakeLoop, type WakeLoop } from './wake-loop.ts'

const ids = (...names: string[]): ThreadId[] => names.map(toThreadId)

function fakeThreads(due: ThreadId[]) {
  const started: ThreadId[] = []
  const ends = new Map<ThreadId, (isDue: boolean) => void>()
  const errors: unknown[] = []
  let looks = 0
  let asked = Promise.withResolvers<void>()
  return {
    started,
    errors,
    end: (id: ThreadId, isDue = false) => ends.get(id)?.(isDue),
    looks: () => looks,
    /** Resolves at the next look that the loop makes. */
    nextLook: () => {
      asked = Promise.withResolvers<void>()
      return asked.promise
    },
    parts: {
      due: async (limit: number) => {
        looks += 1
        queueMicrotask(() => queueMicrotask(() => asked.resolve()))
        return due.slice(0, limit)
      },
      run: (id: ThreadId) => {
        started.push(id)
        if (due.includes(id)) due.splice(due.indexOf(id), 1)
        return new Promise<boolean>((resolve) => ends.set(id, resolve))
      },
      atOnce: 2,
      pollMs: 60_000,
      clock: systemClock,
      onError: (error: unknown) => errors.push(error),
    },
  }
}

async function settled(loop: WakeLoop, threads: ReturnType<typeof fakeThreads>): Promise<void> {
  const look = threads.nextLook()
  loop.poke()
  await look
}

test('no more than the allowed number of threads run at once', async () => {
  const threads = fakeThreads(ids('a', 'b', 'c'))
  const loop = startWakeLoop(threads.parts)
  await settled(loop, threads)
  expect(threads.started).toEqual(ids('a', 'b'))
  const next = threads.nextLook()
  threads.end(toThreadId('a'))
  await next
  expect(threads.started).toEqual(ids('a', 'b', 'c'))
  for (const id of threads.started) threads.end(id)
  await loop.stop()
})

test('a thread that runs here is not started a second time while its row is still due', async () => {
  const due = ids('a')
  const threads = fakeThreads(due)
  const loop = startWakeLoop(threads.parts)
  await settled(loop, threads)
  due.push(toThreadId('a'))
  await settled(loop, threads)
  expect(threads.started).toEqual(ids('a'))
  threads.end(toThreadId('a'))
  await loop.stop()
})

test('stopping waits for what runs and takes nothing new', async () => {
  const due = ids('a')
  const threads = fakeThreads(due)
  const loop = startWakeLoop(threads.parts)
  await settled(loop, threads)
  const stopped = loop.stop()
  due.push(toThreadId('b'))
  loop.poke()
  threads.end(toThreadId('a'))
  await stopped
  expect(threads.started).toEqual(ids('a'))
})

test('a look that fails is reported, and the next one goes on', async () => {
  const threads = fakeThreads(ids('a'))
  const broken = new Error('no database')
  let fails = true
  const loop = startWakeLoop({
    ...threads.parts,
    due: async (limit) => {
      if (fails) throw broken
      return threads.parts.due(limit)
    },
  })
  await Promise.resolve()
  await Promise.resolve()
  expect(threads.errors).toEqual([broken])
  fails = false
  await settled(loop, threads)
  expect(threads.started).toEqual(ids('a'))
  threads.end(toThreadId('a'))
  await loop.stop()
})

test('[R-07] a run that fails is reported and waits for the next poll, though its thread is still due', async () => {
  const threads = fakeThreads(ids('a'))
  const broken = new Error('no room on the disk')
  const loop = startWakeLoop({
    ...threads.parts,
    run: async (threadId) => {
      threads.started.push(threadId)
      throw broken
    },
  })
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  expect([threads.started, threads.errors]).toEqual([ids('a'), [broken]])
  await settled(loop, threads)
  expect(threads.started).toEqual(ids('a', 'a'))
  await loop.stop()
})

test('a thread that is said to be due is started without a look', async () => {
  const threads = fakeThreads([])
  const loop = startWakeLoop(threads.parts)
  loop.start(toThreadId('a'))
  expect([threads.started, threads.looks()]).toEqual([ids('a'), 1])
  threads.end(toThreadId('a'))
  await loop.stop()
  expect(threads.looks()).toBe(1)
})

test.each<[string, (loop: WakeLoop, due: ThreadId[]) => boolean]>([
  ['that is due again', (_, due) => due.push(toThreadId('a')) > 0],
  [
    'that was woken while it ran',
    (loop, due) => {
      due.push(toThreadId('a'))
      loop.start(toThreadId('a'))
      return false
    },
  ],
])('behind a thread %s the loop looks again', async (_, before) => {
  const due: ThreadId[] = []
  const threads = fakeThreads(due)
  const loop = startWakeLoop(threads.parts)
  await firstLook()
  loop.start(toThreadId('a'))
  const isDue = before(loop, due)
  const look = threads.nextLook()
  threads.end(toThreadId('a'), isDue)
  await look
  expect(threads.started).toEqual(ids('a', 'a'))
  threads.end(toThreadId('a'))
  await loop.stop()
})

test('a thread that is said to be due while there is no room is started when there is', async () => {
  const due: ThreadId[] = []
  const threads = fakeThreads(due)
  const loop = startWakeLoop(threads.parts)
  await firstLook()
  for (const id of ids('a', 'b')) loop.start(id)
  due.push(toThreadId('c'))
  loop.start(toThreadId('c'))
  const look = threads.nextLook()
  threads.end(toThreadId('b'))
  await look
  expect(threads.started).toEqual(ids('a', 'b', 'c'))
  for (const id of threads.started) threads.end(id)
  await loop.stop()
})
