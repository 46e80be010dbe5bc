import type { Role } from '@arbe/sdk/api'
import { type ActorId, type HouseId, toActorId, toHouseId, type Via } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { Refused } from './refused.ts'
import { hashToken } from './tokens.ts'

interface TokenOfActor {
  readonly houseId: HouseId
  readonly id: ActorId
  readonly tokenHash: string
}

/** Who speaks, read from the token alone. Nothing a request's body says can add to it. */
export type Actor =
  | (TokenOfActor & {
      readonly kind: 'person'
      readonly tokenKind: 'ses' | 'pat'
      readonly role: Role
    })
  | (TokenOfActor & { readonly kind: 'bot'; readonly tokenKind: 'bot' })

export type PersonActor = Extract<Actor, { readonly kind: 'person' }>

interface ActorRow {
  readonly hash: string
  readonly kind: 'ses' | 'pat' | 'bot'
  readonly house_id: string
  readonly actor_id: string
  readonly role: Role | null
}

const LIVE_TOKENS = `
  select t.hash, t.kind, t.house_id, t.actor_id, m.role
  from tokens t
  left join members m
    on t.kind <> 'bot' and m.house_id = t.house_id and m.id = t.actor_id and m.removed_at is null
  left join agents a
    on t.kind = 'bot' and a.house_id = t.house_id and a.id = t.actor_id and a.kind = 'bot'
      and a.removed_at is null
  where t.hash = any($1::text[]) and t.kind in ('ses', 'pat', 'bot') and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp())
    and (m.id is not null or a.id is not null)`

/** Undefined: no such token, or it ended, or its owner left the house. */
export async function findActor(executor: Executor, token: string): Promise<Actor | undefined> {
  const tokenHash = hashToken(token)
  const [row] = await executor.query<ActorRow>(LIVE_TOKENS, [[tokenHash]])
  if (row === undefined) return undefined
  const common = { houseId: toHouseId(row.house_id), id: toActorId(row.actor_id), tokenHash }
  if (row.kind === 'bot') return { ...common, kind: 'bot', tokenKind: 'bot' }
  if (row.role === null) return undefined
  return { ...common, kind: 'person', tokenKind: row.kind, role: row.role }
}

/** Of these tokens, the ones that still speak, each with its owner's role: one statement for all live connections of a process. */
export async function findLiveTokens(
  executor: Executor,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Role | null>> {
  const rows = await executor.query<ActorRow>(LIVE_TOKENS, [hashes])
  return new Map(rows.map((row) => [row.hash, row.role]))
}

const ranks: Readonly<Record<Role, number>> = { guest: 0, member: 1, admin: 2, owner: 3 }

export function hasRole(actor: Actor, least: Role): boolean {
  return actor.kind === 'person' && ranks[actor.role] >= ranks[least]
}

export function requireRole(actor: Actor, least: Role): PersonActor {
  if (actor.kind === 'person' && ranks[actor.role] >= ranks[least]) return actor
  throw new Refused('forbidden', `This needs the role ${least}.`)
}

/** Keys of different authors never meet, so nobody can take another's, nor the director's own (`arbe:`). */
export function namespacedKey(actor: Actor, clientKey: string): string {
  return `${actor.tokenKind}:${actor.id}:${clientKey}`
}

/**
 * Of what a bridge carries. The name space is its author's, whichever of their tokens the bridge holds; no client key begins
 * with it, and a bridge's name has no colon.
 */
export function bridgedKey(author: Pick<Actor, 'id'>, { bridge, id }: Via): string {
  return `via:${author.id}:${bridge}:${id}`
}
