import type { NoticeEntry } from './thread-item.ts'

type NameOf = (id: string) => string

/** Who changed what, in one sentence. */
export function sayNotice(entry: NoticeEntry, nameOf: NameOf): string {
  const by = nameOf(entry.authorId)
  switch (entry.kind) {
    case 'thread.ask':
      return `${by} asked ${nameOf(entry.body.bot)} to answer`
    case 'thread.continue':
      return `${by} let the bots go on`
    case 'thread.stop':
      return `${by} pressed Stop${entry.body.decision === undefined ? ' while nobody spoke' : ''}`
    case 'thread.title':
      return entry.body.title === ''
        ? `${by} took the thread’s name away`
        : `${by} named the thread “${entry.body.title}”`
    case 'thread.people':
      return `${by} ${changed(entry.body, nameOf)}`
    case 'thread.bots': {
      const { added, removed, modes } = entry.body
      const parts = [
        ...(added.length + removed.length > 0 ? [changed({ added, removed }, nameOf)] : []),
        ...modes.map(({ bot, mode }) => `set ${nameOf(bot)} to “${mode}”`),
      ]
      return `${by} ${parts.join(' and ')}`
    }
    case 'thread.mute':
      return `${by} ${entry.body.muted ? 'muted' : 'unmuted'} ${nameOf(entry.body.bot)}`
    case 'thread.limits':
      return `${by} set the limits to ${entry.body.perBot} turns a bot and ${entry.body.perThread} a thread`
  }
}

function changed(
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
  nameOf: NameOf,
): string {
  const parts = [
    ...(added.length > 0 ? [`added ${added.map(nameOf).join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.map(nameOf).join(', ')}`] : []),
  ]
  return parts.join(' and ')
}
