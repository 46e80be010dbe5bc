import type { Entry } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome } from '@arbe/sdk/say-decision'
import { tailThread } from '@arbe/sdk/tail-thread'
import { EXIT, type ExitCode } from '../exit.ts'
import { connect } from '../login.ts'
import type { CommandContext, Options } from '../main.ts'
import { nameLookup } from '../names.ts'

export async function tail(
  context: CommandContext,
  [threadId = '']: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const client = await connect(context.config)
  const nameOf = await nameLookup(client, threadId)
  const after = Number(options['after'])
  const print = (entry: Entry): void => context.output.data(entry, () => linesOf(entry, nameOf))
  if (options['follow'] === false) {
    let last = after
    for (;;) {
      const page = await client.threads.entries(threadId, { after: last, limit: 200 })
      for (const entry of page.entries) print(entry)
      last = page.entries.at(-1)?.seq ?? last
      if (!page.more) return EXIT.ok
    }
  }
  for await (const entry of tailThread(client, threadId, { after, signal: context.signal }))
    print(entry)
  return EXIT.interrupted
}

/** What a person reads of an entry; work between the lines is left to `--json`. */
function linesOf(entry: Entry, nameOf: (id: string) => string): readonly string[] {
  const by = nameOf(entry.authorId)
  if (entry.kind === 'chat') return [`${entry.seq}  ${by}: ${entry.body.text}`]
  if (entry.kind === 'chat.edit')
    return [`${entry.seq}  ${by} changed ${entry.body.target}: ${entry.body.text}`]
  if (entry.kind === 'chat.delete') return [`${entry.seq}  ${by} deleted ${entry.body.target}`]
  if (entry.kind === 'thread.ask') return [`${entry.seq}  ${by} asks ${nameOf(entry.body.bot)}`]
  if (entry.kind === 'signal.thread_director.decision')
    return [`    ${sayDecision(entry.body, nameOf)}`]
  if (entry.kind === 'pi.tool_result')
    return [`    ${by} ran ${entry.body.tool}${entry.body.isError ? ': it failed' : ''}`]
  if (entry.kind === 'signal.thread_director.outcome' && entry.body.status !== 'replied')
    return [`    ${sayOutcome(entry.body, 'The bot')}`]
  return []
}
