import type { HouseId, ThreadId } from '@arbe/sdk'
import type { Environment, EnvironmentInputSchema, EnvironmentPatch } from '@arbe/sdk/environments'
import type { z } from 'zod'
import { newId } from '../access/new-id.ts'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'

const COLUMNS = `
  e.id, e.name, e.provider, e.network, e.variables,
  case when s.ref is null then 'none' else 'ready' end as box`

const LIVE = `
  from environments e
  left join sandboxes s on s.house_id = e.house_id and s.environment_id = e.id
  where e.house_id = $1 and e.removed_at is null`

export async function listEnvironments(
  executor: Executor,
  houseId: HouseId,
): Promise<readonly Environment[]> {
  return executor.query<Environment>(`select ${COLUMNS} ${LIVE} order by e.created_at, e.id`, [
    houseId,
  ])
}

export async function getEnvironment(
  executor: Executor,
  houseId: HouseId,
  id: string,
): Promise<Environment> {
  const [row] = await executor.query<Environment>(`select ${COLUMNS} ${LIVE} and e.id = $2`, [
    houseId,
    id,
  ])
  if (row === undefined) throw noSuchEnvironment(id)
  return row
}

export async function createEnvironment(
  tx: Executor,
  houseId: HouseId,
  draft: z.output<typeof EnvironmentInputSchema>,
): Promise<string> {
  const id = newId('env')
  await requireFreeName(tx, houseId, { id, name: draft.name })
  await tx.query(
    `insert into environments (house_id, id, name, provider, network, variables)
       values ($1, $2, $3, $4, $5, $6::jsonb)`,
    [houseId, id, draft.name, draft.provider, draft.network, JSON.stringify(draft.variables)],
  )
  return id
}

export async function editEnvironment(
  tx: Executor,
  houseId: HouseId,
  { id, patch }: { readonly id: string; readonly patch: EnvironmentPatch },
): Promise<void> {
  const before = await getEnvironment(tx, houseId, id)
  const { name = before.name, network = before.network, variables = before.variables } = patch
  await requireFreeName(tx, houseId, { id, name })
  await tx.query(
    `update environments set name = $3, network = $4, variables = $5::jsonb where house_id = $1 and id = $2`,
    [houseId, id, name, network, JSON.stringify(variables)],
  )
}

/** Threads that are bound to it are bound to nothing from then on. */
export async function removeEnvironment(tx: Executor, houseId: HouseId, id: string): Promise<void> {
  await lockEnvironment(tx, houseId, id)
  await tx.query(
    `update environments set removed_at = clock_timestamp() where house_id = $1 and id = $2`,
    [houseId, id],
  )
}

/** Held until the transaction ends: it is there and nobody removes it or makes a second box for it. */
export async function lockEnvironment(
  tx: Executor,
  houseId: HouseId,
  id: string,
): Promise<{ readonly name: string }> {
  const [row] = await tx.query<{ name: string }>(
    `select name from environments where house_id = $1 and id = $2 and removed_at is null for update`,
    [houseId, id],
  )
  if (row === undefined) throw noSuchEnvironment(id)
  return row
}

export async function environmentOfThread(
  executor: Executor,
  houseId: HouseId,
  threadId: ThreadId,
): Promise<Environment | undefined> {
  const [row] = await executor.query<Environment>(
    `select ${COLUMNS} ${LIVE}
       and e.id = (select environment_id from threads where house_id = $1 and id = $2)`,
    [houseId, threadId],
  )
  return row
}

async function requireFreeName(
  tx: Executor,
  houseId: HouseId,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  // One after the other, so that of two with the same name the second is told so.
  await tx.query(`select 1 from houses where id = $1 for no key update`, [houseId])
  const taken = await tx.query(
    `select 1 from environments
       where house_id = $1 and lower(name) = lower($3) and id <> $2 and removed_at is null`,
    [houseId, id, name],
  )
  if (taken.length > 0)
    throw new Refused('name_taken', `The house has an environment "${name}" already.`)
}

const noSuchEnvironment = (id: string): Refused =>
  new Refused('not_found', `The house has no environment "${id}".`)
