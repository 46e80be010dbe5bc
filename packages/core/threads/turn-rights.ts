import type { ActorId, HouseId, ThreadId } from '@arbe/sdk'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import { noSuchThread, type OpenThread, openThread } from './open-thread.ts'
import { causesOfTurn, type TurnCause } from './turn-causes.ts'

export interface TurnPlace {
  readonly houseId: HouseId
  readonly threadId: ThreadId
  readonly agentId: ActorId
  readonly decision: number
}

/** Who has to be allowed what the turn does: its bot, and all who caused it. */
export async function principalsOf(
  executor: Executor,
  turn: TurnPlace,
): Promise<readonly ActorId[]> {
  const causes = await requireCauses(executor, turn)
  return [...new Set([turn.agentId, ...causes.map(({ id }) => id)])]
}

const OUTSIDE = `
  select who from unnest($3::text[]) who where
    not exists (select 1 from thread_people p
      where p.house_id = $1 and p.thread_id = $2 and p.member_id = who)
    and not exists (select 1 from thread_bots b
      where b.house_id = $1 and b.thread_id = $2 and b.bot_id = who)
  limit 1`

/** A thread for a turn: the bot and everybody who caused it are in it, or there is no such thread. */
export async function openForTurn(
  executor: Executor,
  turn: TurnPlace,
  threadId: ThreadId,
): Promise<OpenThread> {
  const { houseId, agentId } = turn
  const principals = await principalsOf(executor, turn)
  const outside = await executor.query(OUTSIDE, [houseId, threadId, principals])
  if (outside.length > 0) throw noSuchThread(threadId)
  return openThread(executor, { houseId, id: agentId }, { threadId })
}

/**
 * For what only a member may do. Every person who caused the turn has to be one, and behind everything that caused it has to stand a
 * person: neither a webhook nor a bot driven from outside makes a thread by way of another bot.
 */
export async function requireMembers(
  executor: Executor,
  turn: TurnPlace,
): Promise<readonly ActorId[]> {
  const causes = await requireCauses(executor, turn)
  const people = causes.filter(({ kind }) => kind === 'person').map(({ id }) => id)
  const members = await executor.query(
    `select 1 from members
       where house_id = $1 and id = any($2::text[]) and removed_at is null and role <> 'guest'`,
    [turn.houseId, people],
  )
  if (people.length === 0 || members.length < people.length || causes.some(isOutsider))
    throw new Refused('forbidden', 'Everybody who asked for this has to be a member of the house.')
  return people
}

function isOutsider({ kind, inTurn }: TurnCause): boolean {
  return kind !== 'person' && !(kind === 'bot' && inTurn)
}

async function requireCauses(
  executor: Executor,
  { houseId, threadId, decision }: TurnPlace,
): Promise<readonly TurnCause[]> {
  const causes = await causesOfTurn(executor, { houseId, threadId }, decision)
  if (causes.length === 0) throw new Refused('forbidden', 'Nobody asked for this.')
  return causes
}
