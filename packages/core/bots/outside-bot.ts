import type { ActorId, HouseId } from '@arbe/sdk'
import { type IssuedToken, issueToken } from '../access/tokens.ts'
import type { Executor } from '../db/executor.ts'
import { getBot } from './bots.ts'

/** From its first token on the bot is driven from outside: it writes when it wants, and the director chooses it no more. */
export async function issueBotToken(
  tx: Executor,
  houseId: HouseId,
  bot: { readonly id: ActorId; readonly label: string },
): Promise<IssuedToken> {
  await getBot(tx, houseId, bot.id)
  await tx.query(
    `update agents set external = true, rev = rev + 1 where house_id = $1 and id = $2`,
    [houseId, bot.id],
  )
  return issueToken(tx, { kind: 'bot', houseId, actorId: bot.id, label: bot.label })
}
