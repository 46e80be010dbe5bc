import type { BotTrial, WhoWouldSpeak } from '@arbe/sdk/api'
import type { ArbeClient } from '@arbe/sdk/client'
import { saySupposition } from '@arbe/sdk/say-decision'
import { sayEstimate } from '@arbe/sdk/say-money'
import type { CommandContext, Options } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { findByName } from '../find-by-name.ts'
import { connect } from '../login.ts'
import { modeOf } from '../mode-of.ts'
import { nameLookup } from '../names.ts'
import { offsetOf, textOf } from '../read-option.ts'
import { messageText } from '../read-text.ts'
import { sayCandidates, sayFact, sayWhy } from '../say-why.ts'

/** Who would speak if the text were said in the thread now. Nothing is said. */
export async function test(
  { config, output }: CommandContext,
  [threadId = '', given = '-']: readonly string[],
  options: Options,
): Promise<undefined> {
  const replyTo =
    options['reply-to'] === undefined ? {} : { replyTo: offsetOf(options['reply-to'], 1) }
  const client = await connect(config)
  const bot = await trialOf(client, threadId, options)
  const text = await messageText(given, output)
  const answer = await client.threads.whoWouldSpeak(threadId, {
    text,
    paid: options['paid'] === true,
    ...replyTo,
    ...(bot && { bot }),
  })
  const nameOf = await nameLookup(client, threadId)
  for (const line of saySupposition(answer, nameOf)) output.note(line)
  output.data(answer, () => linesOf(answer, nameOf))
}

async function trialOf(
  client: ArbeClient,
  threadId: string,
  options: Options,
): Promise<BotTrial | undefined> {
  const which = textOf(options['bot'])
  const mode = textOf(options['as-mode'])
  const handle = textOf(options['as-handle'])
  const description = textOf(options['as-description'])
  if (which === undefined) {
    if (mode === undefined && handle === undefined && description === undefined) return undefined
    throw new CliError(EXIT.usage, 'Say with --bot which bot is tried out with other settings.')
  }
  const { id } = findByName((await client.threads.get(threadId)).bots, which)
  return {
    id,
    ...(mode !== undefined && { triggerMode: modeOf(mode) }),
    ...(handle !== undefined && { handle }),
    ...(description !== undefined && { description }),
  }
}

function linesOf(answer: WhoWouldSpeak, nameOf: (id: string) => string): readonly string[] {
  switch (answer.kind) {
    case 'decided':
      return sayWhy({ decision: answer.decision, outcome: null }, nameOf)
    case 'paid_needed':
      return [
        `No rule answers: a model would choose${answer.nobodyAllowed ? ', or choose nobody' : ''}. --paid asks it.`,
        sayFact(['would ask', answer.model]),
        sayFact(['would cost', `${sayEstimate(answer.cost)}, ${answer.inputTokens} tokens`]),
        sayFact(['could speak', sayCandidates(answer.candidates)]),
      ]
  }
}
