import type { ActorId, Entry, EntryOf, Offset } from '@arbe/sdk'

export type SettledText = (NowText & { readonly kind: 'kept' }) | { readonly kind: 'deleted' }

interface NowText {
  readonly text: string
  readonly edited: boolean
  /** The handles by which it mentions. */
  readonly names: readonly { readonly id: ActorId; readonly handle: string }[]
}

/** Every chat as it reads now: the last edit counts, and nothing brings a deleted one back. */
export function settledTexts(entries: readonly Entry[]): ReadonlyMap<Offset, SettledText> {
  const texts = new Map<Offset, SettledText>()
  for (const entry of entries) {
    if (entry.kind === 'chat') keep(texts, entry.seq, nowText(entry.body, false))
    if (entry.kind === 'chat.edit') keep(texts, entry.body.target, nowText(entry.body, true))
    if (entry.kind === 'chat.delete') texts.set(entry.body.target, { kind: 'deleted' })
  }
  return texts
}

function nowText(
  { text, names = [] }: EntryOf<'chat' | 'chat.edit'>['body'],
  edited: boolean,
): NowText {
  return { text, names, edited }
}

function keep(texts: Map<Offset, SettledText>, seq: Offset, now: NowText): void {
  if (texts.get(seq)?.kind !== 'deleted') texts.set(seq, { kind: 'kept', ...now })
}
