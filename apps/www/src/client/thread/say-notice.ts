import type { NoticeEntry, NoticeItem } from './thread-item.ts'

type NameOf = (id: string) => string

/** Who changed what, in one sentence. */
export function sayNotices(entries: NoticeItem['entries'], nameOf: NameOf): string {
  const [first] = entries
  const changes = entries.flatMap((entry) => sayChanges(entry, nameOf))
  const last = changes.pop() ?? 'was here'
  return `${nameOf(first.authorId)} ${[...commaed(changes), last].join(' and ')}`
}

const commaed = (changes: readonly string[]): readonly string[] =>
  changes.length === 0 ? [] : [changes.join(', ')]

function sayChanges(entry: NoticeEntry, nameOf: NameOf): readonly string[] {
  switch (entry.kind) {
    case 'thread.ask':
      return [`asked ${nameOf(entry.body.bot)} to answer`]
    case 'thread.continue':
      return ['let the bots go on']
    case 'thread.stop':
      return [`pressed Stop${entry.body.decision === undefined ? ' while nobody spoke' : ''}`]
    case 'thread.title':
      return [sayTitle(entry.body.title)]
    case 'thread.people': {
      // Whoever makes a thread is in it; that needs no word.
      const added = entry.body.added.filter((id) => id !== entry.authorId)
      return sayMembers(added, entry.body.removed, nameOf)
    }
    case 'thread.bots': {
      const { added, removed, modes } = entry.body
      return [
        ...sayMembers(added, removed, nameOf),
        ...modes.map(({ bot, mode }) => `set ${nameOf(bot)} to “${mode}”`),
      ]
    }
    case 'thread.mute':
      return [`${entry.body.muted ? 'muted' : 'unmuted'} ${nameOf(entry.body.bot)}`]
    case 'thread.limits':
      return [
        `set the limits to ${entry.body.perBot} turns a bot and ${entry.body.perThread} a thread`,
      ]
  }
}

const sayTitle = (title: string): string =>
  title === '' ? 'took the thread’s name away' : `named the thread “${title}”`

function sayMembers(
  added: readonly string[],
  removed: readonly string[],
  nameOf: NameOf,
): readonly string[] {
  return [
    ...(added.length > 0 ? [`added ${added.map(nameOf).join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.map(nameOf).join(', ')}`] : []),
  ]
}
