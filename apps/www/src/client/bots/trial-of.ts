import type { Bot, BotTrial } from '@arbe/sdk'
import type { BotDraft } from './bot-draft.ts'

/** What the form has changed of how the bot is chosen; an emptied name or handle is as it was. */
export function trialOf(bot: Bot, draft: BotDraft): BotTrial {
  const name = draft.name.trim()
  const handle = draft.handle.trim()
  const { description, triggerMode } = draft
  return {
    id: bot.id,
    ...(name !== '' && name !== bot.name && { name }),
    ...(handle !== '' && handle !== bot.handle && { handle }),
    ...(description !== bot.description && { description }),
    ...(triggerMode !== bot.triggerMode && { triggerMode }),
  }
}
