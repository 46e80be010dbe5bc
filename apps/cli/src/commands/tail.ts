import type { ArbeClient } from '@arbe/sdk/client'
import { tailThread } from '@arbe/sdk/tail-thread'
import type { Entry } from '@arbe/sdk/entries'
import type { CommandContext, Options } from '../command-context.ts'
import { connect } from '../login.ts'
import { nameLookup } from '../names.ts'
import { readEntries } from '../read-entries.ts'
import { offsetOf } from '../read-option.ts'
import { sayEntry } from '../say-entry.ts'

export async function tail(
  { config, output }: CommandContext,
  [threadId = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const after = offsetOf(options['after'] ?? '0', 0)
  const client = await connect(config)
  const nameOf = await nameLookup(client, threadId)
  const where = { threadId, after }
  const entries = options['no-follow'] === true ? readEntries(client, where) : follow(client, where)
  for await (const entry of entries) output.data(entry, () => sayEntry(entry, nameOf))
}

interface Where {
  readonly threadId: string
  readonly after: number
}

function follow(client: ArbeClient, { threadId, after }: Where): AsyncIterable<Entry> {
  // An interrupt ends the process, and nothing else ends this.
  return tailThread(client, threadId, { after, signal: new AbortController().signal })
}
