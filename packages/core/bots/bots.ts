import type { Bot, BotInputSchema, BotPatch } from '@arbe/sdk/api'
import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import type { z } from 'zod'
import { claimHandle, releaseHandles } from '../access/handles.ts'
import { newId } from '../access/new-id.ts'
import { Refused } from '../access/refused.ts'
import { revokeTokensOf } from '../access/tokens.ts'
import type { Executor } from '../db/executor.ts'
import { setAgentTriggerMode } from './agent-trigger-mode.ts'

export type BotDraft = z.output<typeof BotInputSchema>

const COLUMNS = `
  id, name, handle, description, prompt, voice, model, trigger_mode as "triggerMode",
  arbe_context as "arbeContext", tools_allow as "toolsAllow", tools_deny as "toolsDeny"`

const LIVE = `house_id = $1 and kind = 'bot' and removed_at is null`

export async function listBots(executor: Executor, houseId: HouseId): Promise<readonly Bot[]> {
  return executor.query<Bot>(
    `select ${COLUMNS} from agents where ${LIVE} order by created_at, id`,
    [houseId],
  )
}

export async function getBot(executor: Executor, houseId: HouseId, id: ActorId): Promise<Bot> {
  const [bot] = await executor.query<Bot>(
    `select ${COLUMNS} from agents where ${LIVE} and id = $2`,
    [houseId, id],
  )
  if (bot === undefined) throw new Refused('not_found', `The house has no bot "${id}".`)
  return bot
}

/** As `getBot`, also when the house has removed it: a turn that has begun is still its turn. */
export async function readSpeaker(executor: Executor, houseId: HouseId, id: ActorId): Promise<Bot> {
  const [bot] = await executor.query<Bot>(
    `select ${COLUMNS} from agents where house_id = $1 and id = $2`,
    [houseId, id],
  )
  if (bot === undefined) throw new Error(`speaker ${id} is no agent of house ${houseId}`)
  return bot
}

export async function createBot(tx: Executor, houseId: HouseId, draft: BotDraft): Promise<ActorId> {
  const id = toActorId(newId('agt'))
  const { name, handle, key } = await claimHandle(tx, { houseId, ownerId: id, ...draft })
  await tx.query(
    `insert into agents (house_id, id, kind, name, handle, handle_key) values ($1, $2, 'bot', $3, $4, $5)`,
    [houseId, id, name, handle, key],
  )
  await writeSettings(tx, houseId, { ...draft, id, handle })
  await tx.query(`update agents set trigger_mode = $3 where house_id = $1 and id = $2`, [
    houseId,
    id,
    draft.triggerMode,
  ])
  return id
}

/** A new name or handle keeps the id: what named the bot before still means it. */
export async function editBot(
  tx: Executor,
  houseId: HouseId,
  { id, patch }: { readonly id: ActorId; readonly patch: BotPatch },
): Promise<Bot> {
  const before = await getBot(tx, houseId, id)
  const after = { ...before, ...defined(patch) }
  const { name, handle, key } = await claimHandle(tx, { houseId, ownerId: id, ...after })
  await tx.query(
    `update agents set name = $3, handle = $4, handle_key = $5, rev = rev + 1 where house_id = $1 and id = $2`,
    [houseId, id, name, handle, key],
  )
  await writeSettings(tx, houseId, { ...after, id })
  if (after.triggerMode !== before.triggerMode)
    await setAgentTriggerMode(tx, houseId, { botId: id, mode: after.triggerMode })
  return { ...after, name, handle }
}

/** An absent field and one set to undefined mean the same in a patch: leave it. */
function defined(patch: BotPatch): Partial<Bot> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}

async function writeSettings(
  tx: Executor,
  houseId: HouseId,
  bot: Omit<Bot, 'triggerMode'>,
): Promise<void> {
  await tx.query(
    `update agents set description = $3, prompt = $4, voice = $5, model = $6, arbe_context = $7,
       tools_allow = $8::jsonb, tools_deny = $9::jsonb
     where house_id = $1 and id = $2`,
    [
      houseId,
      bot.id,
      bot.description,
      bot.prompt,
      bot.voice,
      bot.model,
      bot.arbeContext,
      bot.toolsAllow === null ? null : JSON.stringify(bot.toolsAllow),
      JSON.stringify(bot.toolsDeny),
    ],
  )
}

/** The row stays, so that what it wrote keeps its author; the handle is free after a while. */
export async function removeBot(tx: Executor, houseId: HouseId, id: ActorId): Promise<void> {
  await getBot(tx, houseId, id)
  await tx.query(
    `update agents set removed_at = clock_timestamp() where house_id = $1 and id = $2`,
    [houseId, id],
  )
  await releaseHandles(tx, houseId, id)
  await revokeTokensOf(tx, houseId, id)
}
