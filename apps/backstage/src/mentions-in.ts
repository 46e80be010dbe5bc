import type { Capture, NamedInText } from '@arbe/core/thread-director/thread-director-port'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'

/** Whom a bot's reply names: read by the same parser as people's messages. */
export function mentionsIn({ bots, people }: Pick<Capture, 'bots' | 'people'>) {
  return (text: string): NamedInText => {
    const { mentions, names } = parseMentions(text, [...bots, ...people])
    return { mentions: mentionedIds(mentions), names }
  }
}
