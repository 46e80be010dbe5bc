import type { Who } from './people.ts'

// Spread over the wheel, dark enough for white letters in either scheme.
const COLOURS = [
  '#0f766e',
  '#7c3aed',
  '#b45309',
  '#be185d',
  '#1d4ed8',
  '#4d7c0f',
  '#a21caf',
  '#0e7490',
]

/** People are round, bots are square: told apart without reading. */
export function Avatar({ who }: { readonly who: Pick<Who, 'id' | 'name' | 'kind'> }) {
  const shape = who.kind === 'person' ? 'rounded-full' : 'rounded-lg'
  return (
    <span
      aria-hidden
      className={`${shape} flex size-8 shrink-0 items-center justify-center text-sm font-semibold text-white`}
      style={{ backgroundColor: who.kind === 'system' ? '#57534e' : colourOf(who.id) }}
    >
      {String.fromCodePoint(who.name.codePointAt(0) ?? 63).toUpperCase()}
    </span>
  )
}

function colourOf(id: string): string {
  let sum = 0
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) >>> 0
  return COLOURS[sum % COLOURS.length] ?? '#0f766e'
}
