import type { Executor } from '../db/executor.ts'
import { isRefusedData } from '../db/refused-data.ts'
import { type EntryDraft, toEntryJson } from './entry-draft.ts'
import type { AppendHint } from './live-bus.ts'
import { type Appended, appendEntries } from './thread-stream.ts'

const BATCH_MAX = 200
const BATCH_MAX_LENGTH = 4 * 1024 * 1024

export type AppendToThread = (draft: EntryDraft) => Promise<Appended>

interface Waiting {
  readonly json: string
  readonly answer: PromiseWithResolvers<Appended>
}

/**
 * One lane for all appends of a process that need no fence: while a batch commits, what arrives waits and goes as the next one. A
 * lone append is a commit of its own, sixty-four at once share one. Appends of one caller keep their order. `onAppended` hears of
 * each new entry after its commit.
 */
export function groupAppender(
  executor: Executor,
  onAppended: (hint: AppendHint) => void,
): AppendToThread {
  const waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    // Those who call in the same turn of the event loop go together.
    await Promise.resolve()
    while (waiting.length > 0) await appendBatch(executor, takeBatch(waiting))
    isRunning = false
  }

  return async (draft) => {
    const answer = Promise.withResolvers<Appended>()
    waiting.push({ json: toEntryJson(draft), answer })
    if (!isRunning) void run()
    const appended = await answer.promise
    if (appended.status === 'ok') {
      onAppended({ threadId: draft.threadId, seq: appended.seq, wakes: draft.wakes })
    }
    return appended
  }
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let length = 0
  const end = waiting.findIndex(({ json }, index) => {
    length += json.length
    return index === BATCH_MAX || (index > 0 && length > BATCH_MAX_LENGTH)
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

/** Must not throw: every caller gets its own answer or its own error. */
async function appendBatch(executor: Executor, batch: readonly Waiting[]): Promise<void> {
  try {
    const all = await appendEntries(
      executor,
      batch.map(({ json }) => json),
    )
    for (const [index, appended] of all.entries()) batch[index]?.answer.resolve(appended)
  } catch (error) {
    if (batch.length > 1 && isRefusedData(error)) {
      // Nothing of the batch was written: alone, only the bad one fails.
      for (const one of batch) await appendBatch(executor, [one])
      return
    }
    for (const { answer } of batch) answer.reject(error)
  }
}
