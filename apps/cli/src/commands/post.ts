import type { ArbeClient } from '@arbe/sdk/client'
import type { DecisionBody, OutcomeBody } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome } from '@arbe/sdk/say-decision'
import { tailThread } from '@arbe/sdk/tail-thread'
import { text as readAll } from 'node:stream/consumers'
import { CliError, EXIT, type ExitCode } from '../exit.ts'
import { connect } from '../login.ts'
import type { CommandContext, Options } from '../main.ts'
import { nameLookup } from '../names.ts'

export async function post(
  context: CommandContext,
  [threadId = '', given = '-']: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const text = given === '-' ? (await readAll(process.stdin)).replace(/\r?\n$/, '') : given
  if (text === '') throw new CliError(EXIT.usage, 'There is nothing to say: the text is empty.')
  const client = await connect(context.config)
  const replyTo = options['replyTo'] === undefined ? {} : { replyTo: offset(options['replyTo']) }
  const key = typeof options['key'] === 'string' ? options['key'] : undefined
  const posted = await client.threads.append(threadId, { kind: 'chat', text, ...replyTo }, key)
  if (options['wait'] === undefined) {
    context.output.data(posted, () => [String(posted.seq)])
    return EXIT.ok
  }
  const answer = await waitFor(client, context, {
    threadId,
    seq: posted.seq,
    outcome: options['wait'] === 'outcome',
    seconds: Number(options['timeout']),
  })
  return await tell(client, context, { threadId, seq: posted.seq, ...answer })
}

function offset(value: string | boolean): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1)
    throw new CliError(EXIT.usage, `"${value}" is no offset of a message.`)
  return number
}

interface Waiting {
  readonly threadId: string
  readonly seq: number
  readonly outcome: boolean
  readonly seconds: number
}

interface Answer {
  readonly decision: DecisionBody
  readonly outcome: OutcomeBody | null
  readonly reply: string | null
}

/** The decision that covers the message, and with `outcome` the end of the turn that closes it. */
async function waitFor(
  client: ArbeClient,
  context: CommandContext,
  { threadId, seq, outcome, seconds }: Waiting,
): Promise<Answer> {
  if (!(seconds > 0)) throw new CliError(EXIT.usage, '--timeout takes a number of seconds.')
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(seconds * 1_000)])
  const texts = new Map<number, string>()
  let decision: DecisionBody | undefined
  for await (const entry of tailThread(client, threadId, { after: seq, signal })) {
    if (entry.kind === 'chat') texts.set(entry.seq, entry.body.text)
    if (entry.kind === 'signal.thread_director.decision' && entry.body.to >= seq) {
      decision ??= entry.body.from < seq ? entry.body : undefined
      if (entry.body.from < seq) decision = entry.body
      if (decision !== undefined && (!outcome || decision.speaker === null))
        return { decision, outcome: null, reply: null }
    }
    if (entry.kind !== 'signal.thread_director.outcome' || entry.body.d !== decision?.d) continue
    if (entry.body.closes)
      return { decision, outcome: entry.body, reply: texts.get(entry.body.reply ?? 0) ?? null }
  }
  if (context.signal.aborted) throw new CliError(EXIT.interrupted, 'Interrupted.')
  throw new CliError(EXIT.timedOut, `Nothing was decided about message ${seq} in ${seconds} s.`)
}

async function tell(
  client: ArbeClient,
  { output }: CommandContext,
  answer: Answer & { readonly threadId: string; readonly seq: number },
): Promise<ExitCode> {
  const { threadId, seq, decision, outcome, reply } = answer
  const nameOf = await nameLookup(client, threadId)
  output.note(sayDecision(decision, nameOf))
  if (outcome !== null && reply === null && decision.speaker !== null)
    output.note(sayOutcome(outcome, nameOf(decision.speaker)))
  output.data({ seq, decision, outcome, reply }, () => (reply === null ? [] : [reply]))
  const spoke = outcome === null ? decision.speaker !== null : reply !== null
  return spoke ? EXIT.ok : EXIT.nobodySpoke
}
