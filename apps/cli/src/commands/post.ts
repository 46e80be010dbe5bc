import type { ArbeClient } from '@arbe/sdk/client'
import type { DecisionBody, OutcomeBody } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome } from '@arbe/sdk/say-decision'
import { tailThread } from '@arbe/sdk/tail-thread'
import type { CommandContext, Options } from '../command-context.ts'
import { CliError, EXIT, type ExitCode } from '../exit.ts'
import { connect } from '../login.ts'
import { nameLookup } from '../names.ts'
import { offsetOf, secondsOf, textOf } from '../read-option.ts'
import { messageText } from '../read-text.ts'

export async function post(
  { config, output }: CommandContext,
  [threadId = '', given = '-']: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const seconds = secondsOf(options['timeout'] ?? '120')
  const replyTo =
    options['reply-to'] === undefined ? {} : { replyTo: offsetOf(options['reply-to'], 1) }
  const client = await connect(config)
  const text = await messageText(given, output)
  const input = { kind: 'chat', text, ...replyTo } as const
  const posted = await client.threads.append(threadId, input, textOf(options['key']))
  const until = options['wait']
  if (until === undefined) {
    output.data(posted, () => [String(posted.seq)])
    return EXIT.ok
  }
  const message = { threadId, seq: posted.seq }
  const wait = { ...message, seconds, isEnough: until === 'decision' ? always : isNobody }
  const answer = await waitFor(client, wait)
  const nameOf = await nameLookup(client, threadId)
  for (const line of notesOn(answer, nameOf)) output.note(line)
  const { reply } = answer
  output.data({ seq: posted.seq, ...answer }, () => (reply === null ? [] : [reply]))
  return until === 'outcome' && reply === null ? EXIT.nobodySpoke : EXIT.ok
}

interface Wait {
  readonly threadId: string
  readonly seq: number
  readonly seconds: number
  /** Whether the decision alone is what is waited for. */
  readonly isEnough: (decision: DecisionBody) => boolean
}

const always = (): boolean => true
const isNobody = ({ speaker }: DecisionBody): boolean => speaker === null

interface Answer {
  readonly decision: DecisionBody
  readonly outcome: OutcomeBody | null
  readonly reply: string | null
}

/** The decision that covers the message, and unless that is enough the end of the turn that closes it. */
async function waitFor(
  client: ArbeClient,
  { threadId, seq, seconds, isEnough }: Wait,
): Promise<Answer> {
  const signal = AbortSignal.timeout(seconds * 1_000)
  const texts = new Map<number, string>()
  let decision: DecisionBody | undefined
  for await (const entry of tailThread(client, threadId, { after: seq, signal })) {
    if (entry.kind === 'chat') texts.set(entry.seq, entry.body.text)
    if (entry.kind === 'signal.thread_director.decision' && covers(entry.body, seq)) {
      decision = entry.body
      if (isEnough(decision)) return { decision, outcome: null, reply: null }
    }
    if (entry.kind !== 'signal.thread_director.outcome' || decision === undefined) continue
    // An outcome that does not close is followed by another decision over the same messages.
    if (entry.body.d === decision.d && entry.body.closes)
      return { decision, outcome: entry.body, reply: texts.get(entry.body.reply ?? 0) ?? null }
  }
  const missing = decision === undefined ? 'was decided about' : 'came of the turn that answers'
  throw new CliError(EXIT.timedOut, `Nothing ${missing} message ${seq} in ${seconds} s.`)
}

function covers({ from, to }: DecisionBody, seq: number): boolean {
  return from < seq && seq <= to
}

function notesOn(
  { decision, outcome, reply }: Answer,
  nameOf: (id: string) => string,
): readonly string[] {
  const chosen = sayDecision(decision, nameOf)
  if (outcome === null || decision.speaker === null || reply !== null) return [chosen]
  return [chosen, sayOutcome(outcome, nameOf(decision.speaker))]
}
