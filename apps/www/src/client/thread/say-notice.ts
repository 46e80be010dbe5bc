import type { EntryBody } from '@arbe/sdk'
import { sayTime } from '@arbe/sdk/say-time'
import type { NoticeEntry, NoticeItem } from './thread-item.ts'

type NameOf = (id: string) => string

interface Change {
  readonly did: string
  readonly what: readonly string[]
}

/** Who changed what, in one sentence. */
export function sayNotices(entries: NoticeItem['entries'], nameOf: NameOf): string {
  const [{ authorId }] = entries
  const changes = entries.flatMap((entry) => changesOf(entry, nameOf)).reduce(joinSame, [])
  return `${nameOf(authorId)} ${list(changes.map(({ did, what }) => `${did} ${list(what)}`.trim()))}`
}

const list = (parts: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(parts)

/** People and bots are added by two entries and told as one. */
function joinSame(changes: readonly Change[], next: Change): readonly Change[] {
  const last = changes.at(-1)
  if (last?.did !== next.did) return [...changes, next]
  return [...changes.slice(0, -1), { did: next.did, what: [...last.what, ...next.what] }]
}

function changesOf(entry: NoticeEntry, nameOf: NameOf): readonly Change[] {
  switch (entry.kind) {
    case 'thread.ask':
      return [{ did: 'asked', what: [`${nameOf(entry.body.bot)} to answer`] }]
    case 'thread.continue':
      return [{ did: 'let the bots go on', what: [] }]
    case 'thread.stop': {
      const isIdle = entry.body.decision === undefined
      return [{ did: isIdle ? 'pressed Stop while nobody spoke' : 'pressed Stop', what: [] }]
    }
    case 'thread.title':
      return [titled(entry.body.title)]
    case 'thread.people': {
      // Whoever makes a thread is in it; that needs no word.
      const added = entry.body.added.filter((id) => id !== entry.authorId)
      return [...named('added', added, nameOf), ...named('removed', entry.body.removed, nameOf)]
    }
    case 'thread.bots':
      return [
        ...named('added', entry.body.added, nameOf),
        ...named('removed', entry.body.removed, nameOf),
        ...entry.body.modes.map(({ bot, mode }) => ({
          did: 'set',
          what: [`${nameOf(bot)} to “${mode}”`],
        })),
      ]
    case 'thread.mute':
      return [muted(entry.body, nameOf)]
    case 'thread.banter':
      return [banter(entry.body.on)]
    case 'thread.environment':
      return [bound(entry.body)]
    case 'thread.limits': {
      const { perBot, perThread } = entry.body
      return [{ did: 'set', what: [`the limits to ${perBot} turns a bot, ${perThread} a thread`] }]
    }
  }
}

function banter(on: boolean): Change {
  const did = on ? 'let the bots talk among themselves' : 'ended the talk of bots among themselves'
  return { did, what: [] }
}

function bound({ environment, name }: EntryBody<'thread.environment'>): Change {
  if (environment === null) return { did: 'took the place for commands away', what: [] }
  return { did: 'gave the bots a place for commands', what: [`“${name}”`] }
}

function titled(title: string): Change {
  if (title === '') return { did: 'took the thread’s name away', what: [] }
  return { did: 'named the thread', what: [`“${title}”`] }
}

function muted({ bot, muted: isMuted, until }: EntryBody<'thread.mute'>, nameOf: NameOf): Change {
  const end = until === undefined ? '' : ` until ${sayTime(until)}`
  return { did: isMuted ? 'muted' : 'unmuted', what: [`${nameOf(bot)}${end}`] }
}

function named(did: string, ids: readonly string[], nameOf: NameOf): readonly Change[] {
  return ids.length === 0 ? [] : [{ did, what: ids.map(nameOf) }]
}
