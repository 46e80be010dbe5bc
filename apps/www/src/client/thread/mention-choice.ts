import type { Thread, TriggerMode } from '@arbe/sdk'

export interface Choice {
  readonly id: string
  readonly name: string
  readonly handle: string
  /** Undefined for a person. */
  readonly mode: TriggerMode | undefined
  readonly muted: boolean
}

export interface TypedName {
  /** Where the `@` stands. */
  readonly start: number
  readonly end: number
  readonly name: string
}

/** The name that is being typed at the caret, if any. */
export function typedName(text: string, caret: number): TypedName | undefined {
  const before = text.slice(0, caret)
  const found = /(?:^|[\s(])@([\p{L}\p{N}_-]*)$/u.exec(before)
  if (found === null) return undefined
  const name = found[1] ?? ''
  return { start: caret - name.length - 1, end: caret, name }
}

/** Members whose handle or name begins with what was typed; bots first, since they are who one writes to. */
export function choices(thread: Thread, typed: string): readonly Choice[] {
  const all: readonly Choice[] = [
    ...thread.bots,
    ...thread.people.map((person) => ({ ...person, mode: undefined, muted: false })),
  ]
  const begin = typed.toLowerCase()
  return all
    .filter(({ name, handle }) => [name, handle].some((one) => one.toLowerCase().startsWith(begin)))
    .slice(0, 8)
}

export function insertMention(
  text: string,
  typed: TypedName,
  handle: string,
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, typed.start)}@${handle} `
  return { text: before + text.slice(typed.end).trimStart(), caret: before.length }
}
