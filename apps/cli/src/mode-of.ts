import type { TriggerMode } from '@arbe/sdk/entries'

const modes: readonly TriggerMode[] = ['always', 'auto', 'mention', 'never']

/** A mode as it was typed; `house`: as the house says. */
export function modeOf(typed: string): TriggerMode | null {
  return modes.find((mode) => mode === typed) ?? null
}
