import type { Who } from './people.ts'
import type { ThreadItem } from './thread-view.ts'

type NoticeItem = Extract<ThreadItem, { type: 'notice' }>

/** A change of the thread itself, in a line between the messages. */
export function Notice({
  item,
  who,
}: {
  readonly item: NoticeItem
  readonly who: (id: string) => Who
}) {
  return (
    <p className="text-soft my-2 text-center text-sm">{sentence(item, (id) => who(id).name)}</p>
  )
}

function sentence({ entry }: NoticeItem, name: (id: string) => string): string {
  const by = name(entry.authorId)
  switch (entry.kind) {
    case 'thread.ask':
      return `${by} asked ${name(entry.body.bot)} to answer`
    case 'thread.continue':
      return `${by} let the bots go on`
    case 'thread.stop':
      return `${by} stopped ${entry.body.decision === undefined ? 'it' : 'the turn'}`
    case 'thread.title':
      return `${by} named the thread “${entry.body.title}”`
    case 'thread.people':
      return changed(by, entry.body, name)
    case 'thread.bots': {
      const modes = entry.body.modes.map(({ bot, mode }) => `${name(bot)} to “${mode}”`)
      return [
        ...(entry.body.added.length + entry.body.removed.length > 0
          ? [changed(by, entry.body, name)]
          : []),
        ...(modes.length > 0 ? [`${by} set ${modes.join(', ')}`] : []),
      ].join('; ')
    }
    case 'thread.mute':
      return `${by} ${entry.body.muted ? 'muted' : 'unmuted'} ${name(entry.body.bot)}`
    case 'thread.limits':
      return `${by} set the limits to ${entry.body.perBot} turns a bot and ${entry.body.perThread} a thread`
  }
}

function changed(
  by: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
  name: (id: string) => string,
): string {
  const parts = [
    ...(added.length > 0 ? [`added ${added.map(name).join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.map(name).join(', ')}`] : []),
  ]
  return `${by} ${parts.join(' and ')}`
}
