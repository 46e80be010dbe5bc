import type { ThreadId } from '@arbe/sdk'

import type { Executor } from '../db/executor.ts'
import { isRefusedData } from '../db/refused-data.ts'
import { appendEntriesWithin, appendFreeEntries, type Held } from './append-around-held.ts'
import { type EntryDraft, toEntryJson } from './entry-draft.ts'
import type { AppendHint } from './live-bus.ts'
import type { Appended } from './thread-stream.ts'

const BATCH_MAX = 200
const BATCH_MAX_LENGTH = 4 * 1024 * 1024
/** How long what waits for one thread keeps what waits for another one. */
const PATIENCE_MS = 250

export type AppendToThread = (draft: EntryDraft) => Promise<Appended>

interface Waiting {
  readonly threadId: ThreadId
  readonly json: string
  readonly answer: PromiseWithResolvers<Appended>
}

/**
 * One lane for all appends of a process that need no fence: while a batch commits, what arrives waits and goes as the next one. A
 * lone append is a commit of its own, sixty-four at once share one. Appends of one caller keep their order. What is said in a thread
 * that another transaction holds waits beside the lane. `onAppended` hears of each new entry after its commit.
 */
export function groupAppender(
  executor: Executor,
  onAppended: (hint: AppendHint) => void,
): AppendToThread {
  const lane = openLane(executor)
  return async (draft) => {
    const answer = Promise.withResolvers<Appended>()
    lane.put({ threadId: draft.threadId, json: toEntryJson(draft), answer })
    const appended = await answer.promise
    if (appended.status === 'ok') {
      onAppended({ threadId: draft.threadId, seq: appended.seq, wakes: draft.wakes })
    }
    return appended
  }
}

function openLane(executor: Executor) {
  const free = (batch: Batch) => appendFreeEntries(executor, jsonOf(batch))
  const patient = (batch: Batch) => appendEntriesWithin(executor, jsonOf(batch), PATIENCE_MS)
  let waiting: Waiting[] = []
  let isRunning = false
  /** What waits beside the lane, by thread and in its order. */
  const beside = new Map<ThreadId, Waiting[]>()

  async function run(): Promise<void> {
    isRunning = true
    // Those who call in the same turn of the event loop go together.
    await Promise.resolve()
    while (waiting.length > 0) moveAside(await appendBatch(takeBatch(waiting), free))
    isRunning = false
  }

  function moveAside(held: Batch): void {
    if (held.length === 0) return
    const isResting = beside.size === 0
    for (const [threadId, own] of Map.groupBy(held, (one) => one.threadId))
      beside.set(threadId, own)
    // What came meanwhile stays behind what was there before.
    for (const one of waiting) beside.get(one.threadId)?.push(one)
    waiting = waiting.filter(({ threadId }) => !beside.has(threadId))
    if (isResting) void runBeside()
  }

  async function runBeside(): Promise<void> {
    for (const [threadId, own] of beside) {
      own.unshift(...(await appendBatch(takeBatch(own), patient)))
      beside.delete(threadId)
      // Last again, so that every thread has its turn.
      if (own.length > 0) beside.set(threadId, own)
    }
  }

  return {
    put(one: Waiting): void {
      const own = beside.get(one.threadId)
      if (own !== undefined) {
        own.push(one)
        return
      }
      waiting.push(one)
      if (!isRunning) void run()
    },
  }
}

type Batch = readonly Waiting[]

function jsonOf(batch: Batch): readonly string[] {
  return batch.map(({ json }) => json)
}

function takeBatch(waiting: Waiting[]): Batch {
  let length = 0
  const end = waiting.findIndex(({ json }, index) => {
    length += json.length
    return index === BATCH_MAX || (index > 0 && length > BATCH_MAX_LENGTH)
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

type Append = (batch: Batch) => Promise<readonly (Appended | Held)[]>

/** Gives back what is held. Must not throw: every other caller gets its own answer or its own error. */
async function appendBatch(batch: Batch, append: Append): Promise<Batch> {
  try {
    const all = await append(batch)
    return batch.filter(({ answer }, index) => {
      const appended = all[index]
      if (appended?.status === 'held') return true
      if (appended === undefined) answer.reject(new Error('an append gave no answer'))
      else answer.resolve(appended)
      return false
    })
  } catch (error) {
    if (batch.length > 1 && isRefusedData(error)) return await appendOneByOne(batch, append)
    for (const { answer } of batch) answer.reject(error)
    return []
  }
}

/** Nothing of the batch was written: alone, only the bad one fails. */
async function appendOneByOne(batch: Batch, append: Append): Promise<Batch> {
  const held: Waiting[] = []
  for (const one of batch) {
    const isBehind = held.some(({ threadId }) => threadId === one.threadId)
    held.push(...(isBehind ? [one] : await appendBatch([one], append)))
  }
  return held
}
