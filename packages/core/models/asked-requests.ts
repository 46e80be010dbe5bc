import type { ActorId } from '@arbe/sdk'
import type { ModelAsked } from '@arbe/sdk/api'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'
import type { ModelReply, ModelRequest } from './model.ts'

/** A request as it is sent, and what one needs to read it. */
export interface AskedRequest extends ModelRequest {
  /** 2: asked once more, since the first answer could not be used. */
  readonly attempt: number
  /** Whom the ids in it mean; null is nobody. */
  readonly candidates: Readonly<Record<string, ActorId | null>>
}

/** All that was asked for one decision, in its order: tries after a failure too. Nothing of what is no longer kept. */
export async function listAsked(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  decision: number,
): Promise<readonly ModelAsked[]> {
  return executor.query<ModelAsked>(LIST, [houseId, threadId, decision])
}

/** Empties the requests that are kept no longer; their costs stay. */
export async function forgetAsked(executor: Executor): Promise<void> {
  await executor.query(FORGET, [])
}

const ANSWER_BYTES = 16_384

/** What the model gave, as JSON of its blocks, or the text that came before it broke off. */
export function answerOf(reply: ModelReply): string {
  const text = reply.status === 'ok' ? JSON.stringify(reply.message.content) : reply.partial
  const bytes = new TextEncoder().encode(text.replaceAll('\0', ''))
  // As a stream: a character that is cut in two is left out.
  return new TextDecoder().decode(bytes.subarray(0, ANSWER_BYTES), { stream: true })
}

const LIST = `
  select to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
    model, asked as request, answered, usage, cost::float8 as cost, error
  from ledger
  where house_id = $1 and thread_id = $2 and decision = $3 and purpose = 'decide'
    and asked is not null
  order by started_at, call_id`

const FORGET = `
  update ledger set asked = null, answered = null
  where asked is not null and started_at < now() - interval '30 days'`
