import { type ActorId, type HouseId, toActorId, toHouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { proposeHandle } from './handles.ts'
import { makeOnce } from './keyed-request.ts'
import { addMember, getMember, renameMember } from './members.ts'
import { Refused } from './refused.ts'
import { type IssuedToken, hashToken, issueToken, openLink } from './tokens.ts'

export interface SignIn {
  /** Of an owner's link or an invitation. */
  readonly token: string
  readonly name: string | undefined
  /** Undefined: a repetition is a second sign-in. */
  readonly clientKey: string | undefined
  readonly sessionSeconds: number
}

export interface SignedIn {
  readonly houseId: HouseId
  readonly personId: ActorId
  readonly session: IssuedToken
}

/** Opens a link: its owner, or a new member, has a session from then on. The same request again signs the same person in. */
export async function signIn(tx: Executor, request: SignIn): Promise<SignedIn> {
  const { token, name, clientKey } = request
  const hash = hashToken(token)
  const [link] = await tx.query<{ house_id: string }>(
    `select house_id from tokens where hash = $1 and kind in ('owner_link', 'invitation')`,
    [hash],
  )
  const houseId = toHouseId(link?.house_id ?? '')
  const key =
    link === undefined || clientKey === undefined ? undefined : `link:${hash}:${clientKey}`
  const { id } = await makeOnce(tx, { houseId, key, input: { name } }, () =>
    openDoor(tx, token, name),
  )
  const personId = toActorId(id)
  const session = await issueToken(tx, {
    kind: 'ses',
    houseId,
    actorId: personId,
    ttlSeconds: request.sessionSeconds,
  })
  return { houseId, personId, session }
}

async function openDoor(tx: Executor, token: string, name: string | undefined): Promise<ActorId> {
  const link = await openLink(tx, token)
  switch (link.kind) {
    case 'owner_link':
      if (name !== undefined) await nameOwner(tx, link.houseId, { id: link.actorId, name })
      return link.actorId
    case 'invitation': {
      if (name === undefined) throw new Refused('invalid_body', 'Say how you are called: name.')
      const member = await addMember(tx, link.houseId, { name, role: link.role })
      return toActorId(member.id)
    }
  }
}

/** An owner who says their name has a handle like it, instead of the one the house was made with. */
async function nameOwner(
  tx: Executor,
  houseId: HouseId,
  owner: { readonly id: ActorId; readonly name: string },
): Promise<void> {
  const { name } = await getMember(tx, houseId, owner.id)
  if (name === owner.name) return
  const handle = await proposeHandle(tx, houseId, owner.name)
  await renameMember(tx, houseId, { ...owner, handle })
}
