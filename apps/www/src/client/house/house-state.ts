import type {
  Entry,
  FeedEvent,
  FeedStatus,
  Me,
  Thread,
  ThreadState,
  ThreadSummary,
} from '@arbe/sdk'
import { type EntryLog, extend } from './entry-log.ts'
import { applyDelta, type Delta, type LiveTurn, settles } from './live-turn.ts'
import { isImported, passUnheard, type ReadMarks } from './read-marks.ts'

/** One open thread as this page knows it. */
export interface OpenThread {
  readonly thread: Thread
  readonly log: EntryLog
  readonly state: ThreadState
  readonly live: LiveTurn | undefined
  /** Who types, and until when that is believed. */
  readonly typing: ReadonlyMap<string, number>
}

export interface HouseState {
  readonly me: Me | undefined
  readonly threads: readonly ThreadSummary[]
  readonly open: ReadonlyMap<string, OpenThread>
  readonly marks: ReadMarks
  readonly feed: FeedStatus
}

export const emptyHouse: HouseState = {
  me: undefined,
  threads: [],
  open: new Map(),
  marks: new Map(),
  feed: 'connecting',
}

const TYPING_MS = 6_000

/** What must be fetched besides, since an event alone does not say it. */
export type Errand =
  | { readonly type: 'read_on'; readonly threadId: string }
  | { readonly type: 'reload_thread'; readonly threadId: string }
  | { readonly type: 'reload_threads' }

export interface Applied {
  readonly house: HouseState
  readonly errands: readonly Errand[]
}

/** One event of the live feed folded into the state, and what has to be fetched for it. Pure. */
export function applyEvent(house: HouseState, event: FeedEvent, now: number): Applied {
  switch (event.type) {
    case 'entry':
      return applyEntry(house, event.entry)
    case 'delta':
      return only(update(house, event.threadId, (open) => showDelta(open, event)))
    case 'state':
      return only(update(house, event.threadId, () => ({ state: event.state })))
    case 'typing':
      return only(
        update(house, event.threadId, ({ typing }) => ({
          typing: new Map([...typing, [event.person, now + TYPING_MS]]),
        })),
      )
    case 'reset':
      // More was missed than the feed makes good: what is on the screen opens again from its last page.
      return { house: { ...house, open: new Map() }, errands: [{ type: 'reload_threads' }] }
  }
}

const only = (house: HouseState): Applied => ({ house, errands: [] })

function applyEntry(before: HouseState, entry: Entry): Applied {
  const me = before.me?.person.id
  if (removes(entry, me)) return only(without(before, entry.threadId))
  const house = { ...before, marks: passUnheard(before.marks, entry, me) }
  const { threadId } = entry
  const isListed = house.threads.some(({ id }) => id === threadId)
  const reload: readonly Errand[] =
    isListed && entry.kind !== 'thread.title' ? [] : [{ type: 'reload_threads' }]
  const listed = touch(house, entry)
  const open = listed.open.get(threadId)
  if (open === undefined) return { house: listed, errands: reload }
  const extended = extend(open.log, entry)
  if (extended.status === 'gap') {
    return { house: listed, errands: [...reload, { type: 'read_on', threadId }] }
  }
  return {
    house: update(listed, threadId, () => ({ log: extended.log, ...settled(open, entry) })),
    errands: changesThread(entry) ? [...reload, { type: 'reload_thread', threadId }] : reload,
  }
}

function showDelta(open: OpenThread, delta: Delta): Partial<OpenThread> {
  const newest = open.log.entries.findLast(
    (entry) => entry.seq <= delta.after || settles(entry, delta),
  )
  if (newest !== undefined && settles(newest, delta)) return {}
  return { live: applyDelta(open.live, delta) }
}

function removes(entry: Entry, me: string | undefined): boolean {
  return entry.kind === 'thread.people' && entry.body.removed.some((id) => id === me)
}

function without(house: HouseState, threadId: string): HouseState {
  const open = new Map(house.open)
  open.delete(threadId)
  return { ...house, open, threads: house.threads.filter(({ id }) => id !== threadId) }
}

/** A stored round or outcome takes the place of what was streamed; a message ends its author's typing. */
function settled(open: OpenThread, entry: Entry): Partial<OpenThread> {
  const { live } = open
  const typing = new Map(open.typing)
  typing.delete(entry.authorId)
  return { typing, live: live !== undefined && settles(entry, live) ? undefined : live }
}

function changesThread(entry: Entry): boolean {
  return (
    entry.kind === 'thread.bots' ||
    entry.kind === 'thread.people' ||
    entry.kind === 'thread.mute' ||
    entry.kind === 'thread.limits' ||
    entry.kind === 'thread.banter' ||
    entry.kind === 'thread.environment' ||
    entry.kind === 'thread.title'
  )
}

function touch(house: HouseState, entry: Entry): HouseState {
  const threads = house.threads.map((thread) =>
    thread.id === entry.threadId && entry.seq > thread.head
      ? { ...thread, head: entry.seq, newsTo: newsTo(thread, entry), lastAt: entry.createdAt }
      : thread,
  )
  return { ...house, threads: threads.toSorted((a, b) => b.lastAt.localeCompare(a.lastAt)) }
}

const newsTo = (thread: ThreadSummary, entry: Entry): number =>
  isImported(entry) ? thread.newsTo : entry.seq

export function update(
  house: HouseState,
  threadId: string,
  change: (open: OpenThread) => Partial<OpenThread>,
): HouseState {
  const open = house.open.get(threadId)
  if (open === undefined) return house
  return { ...house, open: new Map([...house.open, [threadId, { ...open, ...change(open) }]]) }
}
