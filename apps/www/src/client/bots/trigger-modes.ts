import type { TriggerMode } from '@arbe/sdk'

/** When a bot speaks, in the words of the page. */
export const SAID_MODES: readonly (readonly [mode: TriggerMode, said: string])[] = [
  ['always', 'answers everything'],
  ['auto', 'answers when it fits'],
  ['mention', 'only when named'],
  ['never', 'never'],
]

export function toMode(value: string): TriggerMode | undefined {
  return SAID_MODES.find(([mode]) => mode === value)?.[0]
}

export function sayMode(mode: TriggerMode): string {
  return SAID_MODES.find(([one]) => one === mode)?.[1] ?? mode
}
