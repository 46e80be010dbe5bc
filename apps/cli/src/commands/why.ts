import type { ArbeClient, DecisionWithOutcome } from '@arbe/sdk/client'
import type { DecisionBody } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome, sayRest } from '@arbe/sdk/say-decision'
import type { CommandContext } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import { nameLookup } from '../names.ts'
import { offsetOf } from '../read-option.ts'

/** The last decision, or those about one message, oldest first. */
export async function why(
  { config, output }: CommandContext,
  [threadId = '', position]: readonly string[],
): Promise<undefined> {
  const seq = position === undefined ? undefined : offsetOf(position, 1)
  const client = await connect(config)
  const shown =
    seq === undefined
      ? (await client.threads.decisions(threadId, { limit: 1 })).decisions
      : await decisionsAbout(client, threadId, seq)
  if (shown.length === 0) throw new CliError(EXIT.notFound, nothingDecided(seq))
  const nameOf = await nameLookup(client, threadId)
  output.data(shown, () => shown.flatMap((one) => linesOf(one, nameOf)))
}

async function decisionsAbout(
  client: ArbeClient,
  threadId: string,
  seq: number,
): Promise<readonly DecisionWithOutcome[]> {
  const found: DecisionWithOutcome[] = []
  let before: number | undefined
  for (;;) {
    const where = before === undefined ? { limit: 200 } : { limit: 200, before }
    const page = await client.threads.decisions(threadId, where)
    const last = page.decisions.at(-1)
    found.push(...page.decisions.filter(({ decision }) => isAbout(decision, seq)))
    if (last === undefined || !page.more || last.decision.to < seq) return found.toReversed()
    before = last.seq
  }
}

/** It covers the message, or its speaker was owed an answer to it. */
function isAbout({ from, to, requests, speaker }: DecisionBody, seq: number): boolean {
  return (
    (from < seq && seq <= to) || requests.some(({ entry, bot }) => entry === seq && bot === speaker)
  )
}

function nothingDecided(seq: number | undefined): string {
  return seq === undefined
    ? 'Nothing has been decided in this thread yet.'
    : `No decision is about ${seq}: it is not decided yet, or it asks nobody.`
}

function linesOf(
  { decision, outcome }: DecisionWithOutcome,
  nameOf: (id: string) => string,
): readonly string[] {
  const { candidates, requests, voided, from, to, seen, speaker, error } = decision
  const rest = sayRest(decision)
  const facts: readonly (readonly [string, string])[] = [
    ['decided by', decider(decision)],
    ['covers', `${from === to ? 'an older request' : range(from + 1, to)}; read up to ${seen}`],
    ['could speak', candidates.map(candidate).join(', ') || 'no bot'],
    ...requests.map(
      ({ bot, entry, by }) => ['owed', `${nameOf(bot)}, for ${entry} (${by})`] as const,
    ),
    ...voided.map(
      ({ bot, entry, why: gone }) => ['void', `${nameOf(bot)}, for ${entry} (${gone})`] as const,
    ),
    ...(error === undefined ? [] : [['error', error] as const]),
    ...(rest === undefined ? [] : [['paused', rest] as const]),
    ...(outcome === null || speaker === null
      ? []
      : [['outcome', sayOutcome(outcome, nameOf(speaker))] as const]),
  ]
  return [
    sayDecision(decision, nameOf),
    ...facts.map(([about, what]) => `  ${about.padEnd(11)}  ${what}`),
  ]
}

function decider({ kind, rule, model }: DecisionBody): string {
  if (kind === 'free') return `rule ${rule ?? ''}`
  return model === undefined || model === '' ? 'a model' : model
}

const range = (first: number, last: number): string =>
  first === last ? String(first) : `${first} to ${last}`

function candidate({ name, eligible, why: not }: DecisionBody['candidates'][number]): string {
  return eligible ? name : `(${name}: ${not ?? 'not now'})`
}
