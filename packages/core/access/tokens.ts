import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '@arbe/sdk/api'
import { type ActorId, type HouseId, toActorId, toHouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { Refused } from './refused.ts'

/** `owner_link` signs the owner in once; `invitation` makes a member; the rest speak for their actor until they end. */
export type TokenKind = 'owner_link' | 'invitation' | 'ses' | 'pat' | 'bot'

const prefixes: Readonly<Record<TokenKind, string>> = {
  owner_link: 'own_',
  invitation: 'inv_',
  ses: 'ses_',
  pat: 'pat_',
  bot: 'bot_',
}

export interface TokenDraft {
  readonly kind: TokenKind
  readonly houseId: HouseId
  readonly actorId?: ActorId
  readonly role?: Role
  readonly label?: string
  /** Undefined: until it is revoked. */
  readonly ttlSeconds?: number
}

export interface IssuedToken {
  /** Shown this once; the database keeps its hash only. */
  readonly token: string
  readonly id: string
  readonly expiresAt: Date | null
}

const ISSUE = `
  insert into tokens (hash, kind, house_id, actor_id, role, label, expires_at)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::float8 * interval '1 second')
  returning expires_at`

export async function issueToken(executor: Executor, draft: TokenDraft): Promise<IssuedToken> {
  const token = prefixes[draft.kind] + randomBytes(32).toString('base64url')
  const hash = hashToken(token)
  const [row] = await executor.query<{ expires_at: Date | null }>(ISSUE, [
    hash,
    draft.kind,
    draft.houseId,
    draft.actorId ?? null,
    draft.role ?? null,
    draft.label ?? '',
    draft.ttlSeconds ?? null,
  ])
  return { token, id: publicId(hash), expiresAt: row?.expires_at ?? null }
}

/** 256 random bits need no slow hash: there is nothing to guess. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Names a token in lists without saying anything about its secret. */
const publicId = (hash: string): string => `tok_${hash.slice(0, 24)}`

const LIVE = `revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`

export type OpenedLink =
  | { readonly kind: 'owner_link'; readonly houseId: HouseId; readonly actorId: ActorId }
  | { readonly kind: 'invitation'; readonly houseId: HouseId; readonly role: Role }

interface LinkRow {
  readonly kind: 'owner_link' | 'invitation'
  readonly house_id: string
  readonly actor_id: string | null
  readonly role: Role | null
}

/** An owner's link works once, whoever races; an invitation as often as wanted until it expires or is revoked. */
const OPEN_LINK = `
  update tokens set used_at = clock_timestamp()
  where hash = $1 and ${LIVE}
    and (kind = 'invitation' or (kind = 'owner_link' and used_at is null))
  returning kind, house_id, actor_id, role`

export async function openLink(executor: Executor, token: string): Promise<OpenedLink> {
  const [row] = await executor.query<LinkRow>(OPEN_LINK, [hashToken(token)])
  if (row?.kind === 'owner_link' && row.actor_id !== null)
    return { kind: row.kind, houseId: toHouseId(row.house_id), actorId: toActorId(row.actor_id) }
  if (row?.kind === 'invitation' && row.role !== null)
    return { kind: row.kind, houseId: toHouseId(row.house_id), role: row.role }
  throw new Refused('link_refused', 'This link was used, has expired, was revoked, or never was.')
}

export async function revokeToken(executor: Executor, hash: string): Promise<void> {
  await executor.query(
    `update tokens set revoked_at = clock_timestamp() where hash = $1 and revoked_at is null`,
    [hash],
  )
}

export async function revokeTokensOf(
  executor: Executor,
  houseId: HouseId,
  actorId: ActorId,
): Promise<void> {
  await executor.query(
    `update tokens set revoked_at = clock_timestamp()
     where house_id = $1 and actor_id = $2 and revoked_at is null`,
    [houseId, actorId],
  )
}

export interface TokenInfo {
  readonly id: string
  readonly kind: TokenKind
  readonly actorId: string | null
  readonly role: Role | null
  readonly label: string
  readonly expiresAt: Date | null
  readonly createdAt: Date
}

const LIST = `
  select 'tok_' || left(hash, 24) as id, kind, actor_id as "actorId", role, label,
    expires_at as "expiresAt", created_at as "createdAt"
  from tokens where house_id = $1 and kind = any($2) and ${LIVE} order by created_at, hash`

export async function listTokens(
  executor: Executor,
  houseId: HouseId,
  kinds: readonly TokenKind[],
): Promise<readonly TokenInfo[]> {
  return executor.query<TokenInfo>(LIST, [houseId, kinds])
}

/** False when the house has no such live token of one of these kinds. */
export async function revokeTokenById(
  executor: Executor,
  houseId: HouseId,
  token: { readonly id: string; readonly kinds: readonly TokenKind[]; readonly actorId?: ActorId },
): Promise<boolean> {
  const rows = await executor.query<{ hash: string }>(
    `update tokens set revoked_at = clock_timestamp()
     where house_id = $1 and 'tok_' || left(hash, 24) = $2 and kind = any($3)
       and ($4::text is null or actor_id = $4) and ${LIVE} returning hash`,
    [houseId, token.id, token.kinds, token.actorId ?? null],
  )
  return rows.length > 0
}
