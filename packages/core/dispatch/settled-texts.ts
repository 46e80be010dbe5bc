import type { Entry, Offset } from '@arbe/sdk'

export type SettledText =
  | { readonly kind: 'kept'; readonly text: string; readonly edited: boolean }
  | { readonly kind: 'deleted' }

/** Every chat as it reads now: the last edit counts, and nothing brings a deleted one back. */
export function settledTexts(entries: readonly Entry[]): ReadonlyMap<Offset, SettledText> {
  const texts = new Map<Offset, SettledText>()
  for (const entry of entries) {
    if (entry.kind === 'chat') keep(texts, entry.seq, { text: entry.body.text, edited: false })
    if (entry.kind === 'chat.edit') {
      keep(texts, entry.body.target, { text: entry.body.text, edited: true })
    }
    if (entry.kind === 'chat.delete') texts.set(entry.body.target, { kind: 'deleted' })
  }
  return texts
}

function keep(
  texts: Map<Offset, SettledText>,
  seq: Offset,
  now: { readonly text: string; readonly edited: boolean },
): void {
  if (texts.get(seq)?.kind !== 'deleted') texts.set(seq, { kind: 'kept', ...now })
}
