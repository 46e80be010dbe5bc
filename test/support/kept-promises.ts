import type { Entry } from '@arbe/sdk'
import type { ArbeClient } from '@arbe/sdk/client'
import { checkStream } from './check-stream.ts'
import type { FollowedFeed } from './follow-all.ts'
import { entriesAtRest } from './open-house.ts'
import type { Posted } from './steady-load.ts'

/** Waits until the threads are at rest. What they break then of the promises, by their streams and by what one live feed saw. */
export async function brokenPromises(
  client: ArbeClient,
  posted: readonly Posted[],
  feed?: FollowedFeed,
): Promise<readonly string[]> {
  const logs = new Map<string, readonly Entry[]>()
  for (const id of new Set(posted.map(({ threadId }) => threadId)))
    logs.set(id, await entriesAtRest(client, id, { seq: lastOf(id, posted) }))
  await feed?.reached(new Map([...logs].map(([id, entries]) => [id, entries.length])))
  return [
    ...[...logs].flatMap(([id, entries]) => ofThread(id, entries, posted)),
    ...(feed === undefined ? [] : unseen(logs, feed)),
  ]
}

function ofThread(
  id: string,
  entries: readonly Entry[],
  posted: readonly Posted[],
): readonly string[] {
  const acknowledged = posted.filter(({ threadId }) => threadId === id)
  const said = entries.filter(({ kind, authorKind }) => kind === 'chat' && authorKind === 'person')
  const twice = said.length === acknowledged.length ? [] : [`${said.length} messages stored`]
  return [...checkStream(entries, { quiet: true, acknowledged }), ...twice].map(
    (line) => `${id} ${line}`,
  )
}

/** The feed is one connection, which never lost its place, and from its first entry of a thread on it is the log. */
function unseen(
  logs: ReadonlyMap<string, readonly Entry[]>,
  { entries: seen, resets }: FollowedFeed,
): readonly string[] {
  const gaps = [...logs].filter(([id, log]) => {
    const entries = seen.get(id) ?? []
    const expected = log.slice((entries[0]?.seq ?? Infinity) - 1)
    return JSON.stringify(entries) !== JSON.stringify(expected)
  })
  return [
    ...(resets === 0 ? [] : [`the feed lost its place ${resets} times`]),
    ...gaps.map(([id]) => `the feed of ${id} is not its log`),
  ]
}

function lastOf(id: string, posted: readonly Posted[]): number {
  return Math.max(...posted.filter(({ threadId }) => threadId === id).map(({ seq }) => seq))
}
