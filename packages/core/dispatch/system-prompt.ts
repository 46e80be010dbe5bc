import { ARBE_CONTEXT, DELEGATION_HANDOVER_GUIDANCE, TRANSCRIPT_FORMAT } from './arbe-context.ts'

/** Who the bot is. No name or title of a person enters a system prompt: they are texts that people can set. */
export interface BotPersona {
  readonly name: string
  readonly handle: string
  readonly prompt: string
  readonly voice: string
  /** Off for a bot that shall know nothing of arbe. */
  readonly arbeContext: boolean
}

export interface TurnDirectives {
  /** The turn answers the report of a delegated job. */
  readonly handover: boolean
  /** What is true of the thread this time: its environment, the rules of the house. */
  readonly notes: readonly string[]
}

export function systemPrompt(bot: BotPersona, directives: TurnDirectives): string {
  return [
    bot.arbeContext ? ARBE_CONTEXT : undefined,
    `Your name is ${bot.name}, your handle is @${bot.handle}.`,
    bot.prompt,
    bot.voice === '' ? undefined : `How you speak: ${bot.voice}`,
    TRANSCRIPT_FORMAT,
    directives.handover ? DELEGATION_HANDOVER_GUIDANCE : undefined,
    ...directives.notes,
  ]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n')
}
