import type { ThreadItem } from './thread-item.ts'

/** What one person changed in a row is told in one line, as when a thread was made. */
export function joinNotices(items: readonly ThreadItem[]): readonly ThreadItem[] {
  const joined: ThreadItem[] = []
  for (const item of items) {
    const last = joined.at(-1)
    if (
      item.type === 'notice' &&
      last?.type === 'notice' &&
      last.entries[0].authorId === item.entries[0].authorId
    ) {
      joined[joined.length - 1] = { ...last, entries: [...last.entries, ...item.entries] }
    } else {
      joined.push(item)
    }
  }
  return joined
}
