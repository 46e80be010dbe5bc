import type { Capture } from '@arbe/core/thread-director/thread-director-port'
import type { ActorId } from '@arbe/sdk'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'

/** Whom a bot's reply names: read by the same parser as people's messages. */
export function mentionsIn({ bots, people }: Pick<Capture, 'bots' | 'people'>) {
  return (text: string): readonly ActorId[] =>
    mentionedIds(parseMentions(text, [...bots, ...people]).mentions)
}
