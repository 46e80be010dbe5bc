import type { Entry, EntryOf, Offset } from '@arbe/sdk'

/** What edits and deletions up to `seen` have made of earlier messages. */
export interface Changes {
  readonly deleted: ReadonlySet<Offset>
  /** The last edit of each edited message. */
  readonly edits: ReadonlyMap<Offset, EntryOf<'chat.edit'>>
}

/** Takes entries in the order of their offsets. */
export function changesIn(entries: readonly Entry[]): Changes {
  const deleted = new Set<Offset>()
  const edits = new Map<Offset, EntryOf<'chat.edit'>>()
  for (const entry of entries) {
    if (entry.kind === 'chat.delete') deleted.add(entry.body.target)
    if (entry.kind === 'chat.edit') edits.set(entry.body.target, entry)
  }
  return { deleted, edits }
}

export function isDeleted(changes: Changes, entry: Entry): boolean {
  const message = entry.kind === 'chat.edit' ? entry.body.target : entry.seq
  return changes.deleted.has(message)
}
