import type { HouseId, ThreadId } from '@arbe/sdk'
import type { Environment } from '@arbe/sdk/environments'
import { Refused } from '../access/refused.ts'
import type { Database, Executor } from '../db/executor.ts'
import {
  environmentOfThread,
  getEnvironment,
  removeEnvironment,
} from '../environments/environments.ts'
import { boxOfEnvironment, type BoxRow, forgetBox, keepBox } from '../environments/sandboxes.ts'
import type { Sandbox, SandboxRef, SandboxRuntime, SandboxRuntimes } from './sandbox.ts'

/** What a turn has for hands: a box, or the sentence that says why there is none. */
export type BoundSandbox =
  | { readonly status: 'ready'; readonly sandbox: Sandbox }
  | { readonly status: 'nowhere'; readonly because: string }

/** Reads which box the thread's environment has; makes none and starts none. */
export async function boundSandbox(
  executor: Executor,
  runtimes: SandboxRuntimes,
  { houseId, threadId }: { readonly houseId: HouseId; readonly threadId: ThreadId },
): Promise<BoundSandbox> {
  const environment = await environmentOfThread(executor, houseId, threadId)
  if (environment === undefined) return nowhere('this thread is bound to no environment')
  const { name, variables, network } = environment
  const runtime = runtimes.get(environment.provider)
  if (runtime === undefined)
    return nowhere(`no sandboxes of the kind "${environment.provider}" are offered here`)
  const health = await runtime.probe()
  if (health.status === 'broken') return nowhere(`${health.reason}. ${health.remedy}`)
  const box = await boxOfEnvironment(executor, houseId, environment.id)
  const sandbox = box && (await runtime.resolve(refOf(box), { variables, network }))
  return sandbox === undefined
    ? nowhere(`the environment "${name}" has not been started`)
    : { status: 'ready', sandbox }
}

const nowhere = (because: string): BoundSandbox => ({ status: 'nowhere', because })

const refOf = ({ provider, ref }: BoxRow): SandboxRef => ({ runtime: provider, id: ref })

export interface EnvironmentPlace {
  readonly db: Database
  readonly runtimes: SandboxRuntimes
  readonly houseId: HouseId
}

/** Sees to it that there is a box; one that is lost is replaced by an empty one. */
export async function startEnvironment(place: EnvironmentPlace, id: string): Promise<Environment> {
  const { db, houseId } = place
  const environment = await getEnvironment(db, houseId, id)
  const runtime = await requireRuntime(place.runtimes, environment.provider)
  const before = await boxOfEnvironment(db, houseId, id)
  if (before !== undefined && (await exists(runtime, before)))
    return { ...environment, box: 'ready' }
  if (before !== undefined) await forgetBox(db, houseId, before)
  // Outside of any transaction: a box may take its time.
  const made = await runtime.create({ labels: { house: houseId, environment: id } })
  const box = { provider: made.runtime, ref: made.id }
  const isKept = await db
    .transaction((tx) => keepBox(tx, houseId, { environmentId: id, box }))
    .catch(async (error: unknown) => {
      await runtime.destroy(made)
      throw error
    })
  if (!isKept) await runtime.destroy(made)
  return getEnvironment(db, houseId, id)
}

/** With its box and all that is in it. */
export async function removeEnvironmentAndBox(place: EnvironmentPlace, id: string): Promise<void> {
  const { db, houseId, runtimes } = place
  const box = await db.transaction(async (tx) => {
    await removeEnvironment(tx, houseId, id)
    return boxOfEnvironment(tx, houseId, id)
  })
  if (box === undefined) return
  // Its row goes last: what is left of a box whose runtime failed can still be found.
  await runtimes.get(box.provider)?.destroy(refOf(box))
  await forgetBox(db, houseId, box)
}

async function exists(runtime: SandboxRuntime, box: BoxRow): Promise<boolean> {
  return (await runtime.resolve(refOf(box), { variables: {}, network: 'none' })) !== undefined
}

/** Refuses with the remedy where the runtime does not work: never another one in its place. */
async function requireRuntime(
  runtimes: SandboxRuntimes,
  provider: string,
): Promise<SandboxRuntime> {
  const runtime = runtimes.get(provider)
  if (runtime === undefined)
    throw new Refused('sandbox_unavailable', `No sandboxes of the kind "${provider}" here.`)
  const health = await runtime.probe()
  if (health.status === 'broken')
    throw new Refused('sandbox_unavailable', `${health.reason}. ${health.remedy}`)
  return runtime
}
