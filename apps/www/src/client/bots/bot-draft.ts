import type { Bot, ModelInfo } from '@arbe/sdk'

/** What the form changes of a bot. */
export type BotDraft = Pick<
  Bot,
  'name' | 'handle' | 'description' | 'prompt' | 'voice' | 'model' | 'triggerMode'
>

export function draftOf(bot: Bot | undefined): BotDraft {
  if (bot === undefined) return emptyDraft
  const { name, handle, description, prompt, voice, model, triggerMode } = bot
  return { name, handle, description, prompt, voice, model, triggerMode }
}

const emptyDraft: BotDraft = {
  name: '',
  handle: '',
  description: '',
  prompt: '',
  voice: '',
  model: '',
  triggerMode: null,
}

export function sayPrice({ demo, inputPrice, outputPrice }: ModelInfo): string {
  if (demo) return 'built in, free'
  return `$${inputPrice} in, $${outputPrice} out for a million tokens`
}
