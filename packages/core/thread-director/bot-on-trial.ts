import { toActorId, type TriggerMode } from '@arbe/sdk'
import type { BotTrial, WhoWouldSpeak } from '@arbe/sdk/api'
import { Refused } from '../access/refused.ts'
import type { Executor } from '../db/executor.ts'
import type { ThreadRef } from '../streams/thread-stream.ts'
import type { RosterBot } from './thread-director-port.ts'

/** A thread's bots, one of them with settings that nobody has saved. */
export interface Trial {
  readonly modeFrom: WhoWouldSpeak['modeFrom']
  readonly withTrial: <Bot extends Tried>(bots: readonly Bot[]) => readonly Bot[]
}

type Tried = Pick<RosterBot, 'id' | 'name' | 'handle' | 'description' | 'mode'>

/** Refuses a bot that is not in the thread. */
export async function readTrial(
  executor: Executor,
  thread: ThreadRef,
  trial: BotTrial | undefined,
): Promise<Trial> {
  if (trial === undefined) return { modeFrom: null, withTrial: (bots) => bots }
  const { id, name, handle, description, triggerMode } = trial
  const sources = await readModeSources(executor, thread, id)
  const own = triggerMode === undefined ? sources.bot : triggerMode
  const mode = sources.thread ?? own ?? sources.house
  const tried = <Bot extends Tried>(bot: Bot): Bot => ({
    ...bot,
    mode,
    name: name ?? bot.name,
    handle: handle ?? bot.handle,
    description: description ?? bot.description,
  })
  return {
    modeFrom: sources.thread !== null ? 'thread' : own !== null ? 'bot' : 'house',
    withTrial: (bots) => bots.map((bot) => (bot.id === toActorId(id) ? tried(bot) : bot)),
  }
}

/** Where a bot's mode in a thread comes from: the thread's own goes before the bot's, and that before the house's. */
interface ModeSources {
  readonly thread: TriggerMode | null
  readonly bot: TriggerMode | null
  readonly house: TriggerMode
}

async function readModeSources(
  executor: Executor,
  { houseId, threadId }: ThreadRef,
  bot: string,
): Promise<ModeSources> {
  const [sources] = await executor.query<ModeSources>(
    `select b.trigger_mode as thread, a.trigger_mode as bot, h.default_trigger_mode as house
     from thread_bots b
     join agents a on a.house_id = b.house_id and a.id = b.bot_id
     join houses h on h.id = b.house_id
     where b.house_id = $1 and b.thread_id = $2 and b.bot_id = $3`,
    [houseId, threadId, bot],
  )
  if (sources === undefined) throw new Refused('not_found', `No bot "${bot}" is in this thread.`)
  return sources
}
