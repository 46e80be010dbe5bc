import type { Entry } from '@arbe/sdk'

/** A contiguous piece of a thread's stream: every entry from `first` to `last`, none missing, none twice. */
export interface EntryLog {
  readonly entries: readonly Entry[]
  /** True when older entries stand before the first. */
  readonly older: boolean
}

export type Extended =
  | { readonly status: 'extended' | 'known'; readonly log: EntryLog }
  /** An entry between was missed: the reader fetches from `after`. */
  | { readonly status: 'gap'; readonly after: number }

/** Adds one entry of the live feed; offsets are dense, so a hole shows at once. */
export function extend(log: EntryLog, entry: Entry): Extended {
  const last = log.entries.at(-1)
  if (last !== undefined && entry.seq <= last.seq) return { status: 'known', log }
  if (last !== undefined && entry.seq > last.seq + 1) return { status: 'gap', after: last.seq }
  return { status: 'extended', log: { ...log, entries: [...log.entries, entry] } }
}

/** Adds a page that ends right before the log's first entry, or follows its last one. */
export function join(
  log: EntryLog,
  page: { readonly entries: readonly Entry[]; readonly older?: boolean },
): EntryLog {
  const known = new Set(log.entries.map((entry) => entry.seq))
  const added = page.entries.filter((entry) => !known.has(entry.seq))
  return {
    entries: [...log.entries, ...added].toSorted((a, b) => a.seq - b.seq),
    older: page.older ?? log.older,
  }
}
