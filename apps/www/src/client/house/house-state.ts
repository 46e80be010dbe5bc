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
import { applyDelta, type LiveTurn } from './live-turn.ts'

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
  readonly feed: FeedStatus
}

export const emptyHouse: HouseState = {
  me: undefined,
  threads: [],
  open: new Map(),
  feed: 'connecting',
}

const TYPING_MS = 6_000

/** What must be fetched besides, since an event alone does not say it. */
export type Errand =
  | { readonly type: 'read_on'; readonly threadId: string; readonly after: number }
  | { readonly type: 'reload_thread'; readonly threadId: string }
  | { readonly type: 'reload_threads' }
  /** More was missed than the feed makes good. */
  | { readonly type: 'begin_anew'; readonly open: readonly string[] }

/** One event of the live feed folded into the state, and what has to be fetched for it. Pure. */
export function applyEvent(
  house: HouseState,
  event: FeedEvent,
  now: number,
): { readonly house: HouseState; readonly errands: readonly Errand[] } {
  switch (event.type) {
    case 'entry':
      return applyEntry(house, event.entry)
    case 'delta':
      return only(update(house, event.threadId, (open) => ({ live: applyDelta(open.live, event) })))
    case 'state':
      return only(update(house, event.threadId, () => ({ state: event.state })))
    case 'typing':
      return only(
        update(house, event.threadId, ({ typing }) => ({
          typing: new Map([...typing, [event.person, now + TYPING_MS]]),
        })),
      )
    case 'reset':
      return { house: { ...house, open: new Map() }, errands: [{ type: 'begin_anew', open: [...house.open.keys()] }] }
  }
}

const only = (house: HouseState) => ({ house, errands: [] })

function applyEntry(
  house: HouseState,
  entry: Entry,
): { readonly house: HouseState; readonly errands: readonly Errand[] } {
  const { threadId } = entry
  const known = house.threads.some(({ id }) => id === threadId)
  const listed = known ? touch(house, entry) : house
  const errands: Errand[] = known ? [] : [{ type: 'reload_threads' }]
  const open = listed.open.get(threadId)
  if (open === undefined) return { house: listed, errands }
  const extended = extend(open.log, entry)
  if (extended.status === 'gap') {
    return {
      house: listed,
      errands: [...errands, { type: 'read_on', threadId, after: extended.after }],
    }
  }
  if (changesRoster(entry)) errands.push({ type: 'reload_thread', threadId })
  return {
    house: update(listed, threadId, () => ({ log: extended.log, ...settled(open, entry) })),
    errands,
  }
}

/** A stored round or outcome takes the place of what was streamed; a message ends its author's typing. */
function settled(open: OpenThread, entry: Entry): Partial<OpenThread> {
  const stored =
    entry.kind === 'pi.assistant' ||
    entry.kind === 'signal.thread_director.outcome' ||
    (entry.kind === 'chat' && entry.causedBy !== null)
  const typing = new Map(open.typing)
  typing.delete(entry.authorId)
  return { typing, live: stored ? undefined : open.live }
}

function changesRoster(entry: Entry): boolean {
  return (
    entry.kind === 'thread.bots' ||
    entry.kind === 'thread.people' ||
    entry.kind === 'thread.mute' ||
    entry.kind === 'thread.limits' ||
    entry.kind === 'thread.title'
  )
}

function touch(house: HouseState, entry: Entry): HouseState {
  const threads = house.threads.map((thread) =>
    thread.id === entry.threadId && entry.seq > thread.head
      ? { ...thread, head: entry.seq, lastAt: entry.createdAt }
      : thread,
  )
  return { ...house, threads: threads.toSorted((a, b) => b.lastAt.localeCompare(a.lastAt)) }
}

export function update(
  house: HouseState,
  threadId: string,
  change: (open: OpenThread) => Partial<OpenThread>,
): HouseState {
  const open = house.open.get(threadId)
  if (open === undefined) return house
  return { ...house, open: new Map([...house.open, [threadId, { ...open, ...change(open) }]]) }
}
