import { ApiError, type ArbeClient } from '@arbe/sdk/client'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Acknowledged } from './check-stream.ts'

export interface Posted extends Acknowledged {
  readonly threadId: string
}

export interface SteadyLoad {
  readonly posted: readonly Posted[]
  /** What came instead of an acknowledgement, each kind once: `503 not_ready`. */
  readonly refusals: ReadonlySet<string>
  /** The longest that anybody waited for a refusal. */
  readonly slowestRefusalMs: number
  /** Fulfilled with so many further acknowledgements, or refusals. */
  next(what: 'acknowledged' | 'refused', count?: number): Promise<void>
  /** No new messages; fulfilled when all that were begun are acknowledged. */
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly lanes: number
  readonly pauseMs: number
  readonly textOf: (number: number) => string
}

/** People who post one message after the other, each as often as it takes under one key, into these threads by turns. */
export function startLoad(
  clients: readonly ArbeClient[],
  threads: readonly string[],
  { lanes, pauseMs, textOf }: LoadOptions,
): SteadyLoad {
  const posted: Posted[] = []
  const refusals = new Set<string>()
  const waiting = {
    acknowledged: Promise.withResolvers<void>(),
    refused: Promise.withResolvers<void>(),
  }
  const stopped = new AbortController()
  let slowestRefusalMs = 0
  let number = 0

  function tell(what: keyof typeof waiting): void {
    waiting[what].resolve()
    waiting[what] = Promise.withResolvers()
  }

  async function postOnce(n: number, text: string): Promise<boolean> {
    const client = clients[n % clients.length]
    const threadId = threads[n % threads.length] ?? ''
    const begun = performance.now()
    try {
      const answer = await client?.threads.append(threadId, { kind: 'chat', text }, `load-${n}`)
      posted.push({ threadId, seq: answer?.seq ?? 0, text })
      tell('acknowledged')
      return true
    } catch (error) {
      slowestRefusalMs = Math.max(slowestRefusalMs, performance.now() - begun)
      refusals.add(error instanceof ApiError ? `${error.status} ${error.code}` : String(error))
      tell('refused')
      return false
    }
  }

  async function lane(): Promise<void> {
    while (!stopped.signal.aborted) {
      number += 1
      const n = number
      const text = textOf(n)
      while (!(await postOnce(n, text))) await sleep(20)
      await sleep(pauseMs)
    }
  }

  const running = Promise.all(Array.from({ length: lanes }, lane))
  return {
    posted,
    refusals,
    get slowestRefusalMs() {
      return slowestRefusalMs
    },
    async next(what, count = 1) {
      for (let n = 0; n < count; n += 1) await waiting[what].promise
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}
