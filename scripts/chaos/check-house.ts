import type { Database } from '@arbe/core/db/executor'
import { checkStream } from '../../test/support/check-stream.ts'
import { readAssistantMessage, toolCallsOf } from '@arbe/core/models/assistant-message'
import { ofKind } from '../../test/support/read-turns.ts'
import type { Entry } from '@arbe/sdk'
import type { Ack, ChaosThread } from './chaos-load.ts'
import type { ProviderCall } from './chaos-provider.ts'
import type { ThreadLogs } from './thread-logs.ts'

/** What the streams of a house at rest break, from their entries and from what was acknowledged. */
export function checkStreams({ of }: ThreadLogs, acks: readonly Ack[]): readonly string[] {
  const byThread = Map.groupBy(acks, ({ threadId }) => threadId)
  return [...of].flatMap(([id, entries]) => {
    const own = byThread.get(id) ?? []
    const acknowledged = own.flatMap(({ seq, input }) =>
      input.kind === 'chat' ? [{ seq, text: input.text }] : [],
    )
    return [
      ...checkStream(entries, { quiet: true, acknowledged }),
      ...own.filter((ack) => !stands(entries, ack)).map(lost),
      ...saidTwice(entries),
    ].map((line) => `${id} ${line}`)
  })
}

function stands(entries: readonly Entry[], { seq, key, input }: Ack): boolean {
  const entry = entries[seq - 1]
  return entry?.kind === input.kind && entry.key.endsWith(`:${key}`)
}

function lost({ key, seq, input }: Ack): string {
  return `I5: the acknowledged ${input.kind} ${key} is not at ${seq}`
}

function saidTwice(entries: readonly Entry[]): readonly string[] {
  const keys = new Set(entries.map(({ key }) => key))
  return keys.size === entries.length ? [] : ['I5: a key stands in the stream twice']
}

/** Each file is written by one call: it is there once if the call has a good result, and else not at all. */
export async function checkEffects(db: Database, { of }: ThreadLogs): Promise<readonly string[]> {
  const rows = await db.query<{ path: string; versions: number }>(
    `select path, count(*)::int as versions from files group by path`,
  )
  const written = new Set([...of.values()].flatMap(writtenIn))
  const there = new Set(rows.map(({ path }) => path))
  return [
    ...rows
      .filter(({ versions }) => versions !== 1)
      .map(({ path, versions }) => `I8: ${path} was written ${versions} times`),
    ...[...written].filter((path) => !there.has(path)).map((path) => `I8: ${path} is not there`),
    ...[...there].filter((path) => !written.has(path)).map((path) => `I8: nobody wrote ${path}`),
  ]
}

function writtenIn(entries: readonly Entry[]): readonly string[] {
  const calls = new Map(
    ofKind(entries, 'pi.assistant').flatMap(({ body }) => {
      const message = readAssistantMessage(body.message)
      const all = message === undefined ? [] : toolCallsOf(message)
      return all.map((call, index) => [`${body.decision}:${body.round}:${index}`, call] as const)
    }),
  )
  return ofKind(entries, 'pi.tool_result')
    .filter(({ body }) => body.tool === 'write_file' && !body.isError)
    .map(({ body }) =>
      String(calls.get(`${body.decision}:${body.round}:${body.index}`)?.arguments['path']),
    )
}

interface Books {
  readonly threadId: string
  readonly purpose: ProviderCall['purpose']
  readonly rows: number
  readonly billed: number
}

/** Every request that reached the provider is on the books, and nothing is billed that it did not answer. */
export async function checkBooks(
  db: Database,
  threads: readonly ChaosThread[],
  calls: readonly ProviderCall[],
): Promise<readonly string[]> {
  const books = await db.query<Books>(
    `select thread_id as "threadId", purpose, count(*)::int as rows,
       count(*) filter (where (usage ->> 'output')::int > 0)::int as billed
     from ledger where purpose in ('decide', 'turn') group by 1, 2`,
  )
  const strays = calls.filter(({ thread }) => thread === undefined).length
  const found = strays > 0 ? [`I9: ${strays} requests name no thread`] : []
  for (const { id, number } of threads)
    for (const purpose of ['decide', 'turn'] as const) {
      const asked = calls.filter((call) => call.thread === number && call.purpose === purpose)
      const whole = asked.filter(({ isWhole }) => isWhole).length
      const { rows = 0, billed = 0 } =
        books.find((one) => one.threadId === id && one.purpose === purpose) ?? {}
      if (asked.length > rows)
        found.push(`I9: ${id} asked ${asked.length} times (${purpose}) and booked ${rows}`)
      if (billed > whole)
        found.push(`I9: ${id} booked ${billed} answers (${purpose}) and was given ${whole}`)
    }
  return found
}
