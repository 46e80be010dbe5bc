import { IMPORT_MOST, type Imported, type ImportMessage } from '@arbe/sdk/api'
import { ApiError, type ArbeClient } from '@arbe/sdk/client'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import { visibleJson } from '../output.ts'
import { type Changes, noteChange, readLine, toMessage } from '../read-export.ts'
import { readEntries } from '../read-entries.ts'

/** Every entry as it stands, one a line, with its author's name: what a reader elsewhere cannot look up. */
export async function exportThread(
  { config, output }: CommandContext,
  [threadId = '']: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const names = await namesOf(client, threadId)
  for await (const entry of readEntries(client, { threadId, after: 0 })) {
    const authorName = names.get(entry.authorId)
    const line = { ...entry, ...(authorName === undefined ? {} : { authorName }) }
    output.data(line, () => [visibleJson(line)])
  }
}

async function namesOf(client: ArbeClient, threadId: string): Promise<ReadonlyMap<string, string>> {
  const { people, bots } = await client.threads.get(threadId)
  const { person } = await client.me()
  // Who left the thread is still in the house's lists, which a guest does not see.
  const house =
    person.role === 'guest'
      ? []
      : [...(await client.people()).people, ...(await client.bots.list()).bots]
  return new Map([...house, ...people, ...bots].map(({ id, name }) => [id, name]))
}

interface Counts {
  new: number
  duplicate: number
  differs: number
  /** Lines that hold no message. */
  skipped: number
}

/** Sends a file in batches. What was sent before is known by its ids, so that a run that was cut off is simply run again. */
export async function importThread(
  { config, output }: CommandContext,
  [threadId = '', file = '']: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const lines = await linesOf(file)
  const changes: Changes = { texts: new Map(), deleted: new Set(), vias: new Map() }
  for await (const { line } of parsed(lines())) {
    if (line.kind === 'chat' && line.entry.threadId === threadId)
      throw new CliError(
        EXIT.usage,
        'This is an export of the thread itself: all of it stands there.',
      )
    noteChange(changes, line)
  }
  const counts: Counts = { new: 0, duplicate: 0, differs: 0, skipped: 0 }
  for await (const batch of batches(lines(), { changes, counts })) {
    const { results } = await patiently(() => client.threads.import(threadId, batch))
    for (const { status } of results) counts[status] += 1
  }
  output.data(counts, () => [
    `${counts.new} new, ${counts.duplicate} duplicate, ${counts.differs} with other words here, ${counts.skipped} lines without a message`,
  ])
}

type Lines = () => AsyncIterable<string> | Iterable<string>

/** A file is read twice; a stream cannot be, and is kept. */
async function linesOf(file: string): Promise<Lines> {
  if (file !== '-')
    return () => createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  const all = (await readAll(process.stdin)).split(/\r?\n/)
  return () => all
}

async function* parsed(lines: ReturnType<Lines>) {
  let number = 0
  for await (const text of lines) {
    number += 1
    if (text.trim() !== '') yield { line: readLine(text, number) }
  }
}

// The house takes 4 MiB; a character of JSON has at most three bytes.
const BATCH_LENGTH = 1024 * 1024

async function* batches(
  lines: ReturnType<Lines>,
  { changes, counts }: { readonly changes: Changes; readonly counts: Counts },
): AsyncGenerator<readonly ImportMessage[], void> {
  let batch: ImportMessage[] = []
  let length = 0
  for await (const { line } of parsed(lines)) {
    const message = toMessage(line, changes)
    if (message === undefined) {
      counts.skipped += 1
      continue
    }
    const own = JSON.stringify(message).length
    if (batch.length > 0 && (batch.length === IMPORT_MOST || length + own > BATCH_LENGTH)) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(message)
    length += own
  }
  if (batch.length > 0) yield batch
}

/** The house slows down whoever changes much at once; an import is in no hurry. */
async function patiently(send: () => Promise<Imported>): Promise<Imported> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_many_requests') throw error
      await setTimeout(1_000)
    }
  }
}
