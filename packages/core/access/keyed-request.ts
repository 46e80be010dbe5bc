import { createHash } from 'node:crypto'
import type { HouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { Refused } from './refused.ts'
import type { IssuedToken } from './tokens.ts'

export interface KeyedRequest {
  readonly houseId: HouseId
  /** Namespaced by its sender. Undefined: sent without one, so that a repetition makes another. */
  readonly key: string | undefined
  readonly input: unknown
}

export type Made =
  | { readonly status: 'made'; readonly id: string }
  | { readonly status: 'again'; readonly id: string }

/** Makes something once a key, in the transaction given; two at once wait for each other on the key's row. */
export async function makeOnce(
  tx: Executor,
  request: KeyedRequest,
  make: () => Promise<string>,
): Promise<Made> {
  if (request.key === undefined) return { status: 'made', id: await make() }
  const { houseId, key } = request
  const hash = createHash('sha256').update(JSON.stringify(request.input)).digest('hex')
  const taken = await tx.query(
    `insert into keyed_requests (house_id, key, hash, made) values ($1, $2, $3, '')
     on conflict do nothing returning key`,
    [houseId, key, hash],
  )
  if (taken.length > 0) {
    const id = await make()
    await tx.query(`update keyed_requests set made = $3 where house_id = $1 and key = $2`, [
      houseId,
      key,
      id,
    ])
    return { status: 'made', id }
  }
  const [first] = await tx.query<{ hash: string; made: string }>(
    `select hash, made from keyed_requests where house_id = $1 and key = $2`,
    [houseId, key],
  )
  if (first?.hash === hash) return { status: 'again', id: first.made }
  throw new Refused('key_conflict', 'This idempotency key belongs to another request.')
}

/** As makeOnce, for a secret: a repetition cannot be answered, since only its hash is kept. */
export async function issueOnce(
  tx: Executor,
  request: KeyedRequest,
  issue: () => Promise<IssuedToken>,
): Promise<IssuedToken> {
  const issued: IssuedToken[] = []
  await makeOnce(tx, request, async () => {
    const token = await issue()
    issued.push(token)
    return token.id
  })
  const [token] = issued
  if (token !== undefined) return token
  throw new Refused('key_conflict', 'This request made its secret already, and that is shown once.')
}
