import { NO_USAGE } from '@arbe/sdk'
import type { ModelReply } from './model.ts'

/** Spares a model whose provider is down, and everybody who would wait for it. */
export interface Circuit {
  /** Undefined: ask. Otherwise the answer in place of a request that is not made. */
  refusal(): Failed | undefined
  /** What became of a request that was made. */
  heard(reply: ModelReply): void
}

type Failed = Extract<ModelReply, { readonly status: 'failed' }>

/** More than one turn asks: a single bad minute of one thread spares nobody anything. */
const MOST_FAILURES = 5

/**
 * So long nobody asks; then one request tries, and the others go on waiting until it has its answer or this time is over again. A
 * decision that waits by itself has come to longer pauses than this by then, so that alone it is never refused.
 */
const REST_MS = 15_000

/**
 * One model of one provider, in this process. Any answer closes it, a refusal too: it counts how often in a row the provider was
 * down, not what it thinks of a request.
 */
export function createCircuit(modelId: string, now: () => number): Circuit {
  let failures = 0
  let restsUntil = 0
  let lastError = ''
  return {
    refusal() {
      if (failures < MOST_FAILURES) return undefined
      if (now() < restsUntil) return refused(modelId, restsUntil, lastError)
      restsUntil = now() + REST_MS
      return undefined
    },
    heard(reply) {
      if (reply.status === 'aborted' || isUnasked(reply)) return
      if (reply.status === 'ok' || reply.down !== true) {
        failures = 0
        return
      }
      failures += 1
      lastError = reply.error
      if (failures === MOST_FAILURES) restsUntil = now() + REST_MS
    },
  }
}

function isUnasked(reply: ModelReply): boolean {
  return reply.status === 'failed' && reply.unasked === true
}

function refused(modelId: string, until: number, lastError: string): Failed {
  const time = new Date(until).toISOString().slice(11, 19)
  return {
    status: 'failed',
    error: `${modelId} is not answering; it is asked again at ${time} UTC (${lastError})`,
    retryable: false,
    down: true,
    unasked: true,
    partial: '',
    usage: NO_USAGE,
    cost: 0,
  }
}
