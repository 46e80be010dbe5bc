import type { Who } from './people.ts'

// Spread over the wheel, dark enough for white letters in either scheme.
const COLOURS = [
  '#0e7490',
  '#b45309',
  '#4d7c0f',
  '#7c3aed',
  '#a21caf',
  '#be185d',
  '#0f766e',
  '#1d4ed8',
]

/** People are round, bots are square: told apart without reading. */
export function Avatar({ who }: { readonly who: Pick<Who, 'name' | 'handle' | 'kind'> }) {
  const shape = who.kind === 'person' ? 'rounded-full' : 'rounded-lg'
  return (
    <span
      aria-hidden
      className={`${shape} flex size-8 shrink-0 items-center justify-center text-sm font-semibold text-white`}
      style={{ backgroundColor: who.kind === 'system' ? '#57534e' : colourOf(who.handle) }}
    >
      {String.fromCodePoint(who.name.codePointAt(0) ?? 63).toUpperCase()}
    </span>
  )
}

function colourOf(handle: string): string {
  let sum = 0
  for (const char of handle) sum = (sum * 33 + (char.codePointAt(0) ?? 0)) >>> 0
  return COLOURS[sum % COLOURS.length] ?? '#0f766e'
}
