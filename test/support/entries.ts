import { bodySchemas, type Entry, type EntryKind, toActorId, toOffset, toThreadId } from '@arbe/sdk'

type BodyInput<K extends EntryKind> = (typeof bodySchemas)[K]['_zod']['input']

interface EntryOver {
  readonly seq?: number
  readonly causedBy?: number | null
  readonly at?: string
}

/** Writes a thread's entries as tests tell them: `mia`, `ben` are people, every other name is a bot. Offsets count up. */
export function storyteller(people: readonly string[] = ['mia', 'ben']) {
  let head = 0
  return {
    add<K extends EntryKind>(
      kind: K,
      author: string,
      body: BodyInput<K>,
      over: EntryOver = {},
    ): Entry {
      head = over.seq ?? head + 1
      const authorKind = kind.startsWith('signal.')
        ? 'director'
        : people.includes(author)
          ? 'person'
          : author === 'system'
            ? 'system'
            : 'bot'
      return {
        threadId: toThreadId('thr_1'),
        seq: toOffset(head),
        key: `key:${head}`,
        authorId: toActorId(author),
        authorKind,
        wakes: kind === 'chat',
        readable: kind === 'chat',
        causedBy: over.causedBy ?? null,
        hops: 0,
        createdAt: over.at ?? '2026-01-02T10:30:00.000Z',
        kind,
        body: bodySchemas[kind].parse(body),
      } as Entry
    },
  }
}
