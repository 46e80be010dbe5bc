import type { ModelAsked } from '@arbe/sdk/api'
import type { ArbeClient, DecisionWithOutcome } from '@arbe/sdk/client'
import type { DecisionBody } from '@arbe/sdk/entries'
import type { CommandContext, Options } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import { nameLookup } from '../names.ts'
import { offsetOf } from '../read-option.ts'
import { sayAsked } from '../say-asked.ts'
import { sayWhy } from '../say-why.ts'

/** The last decision, or those about one message, oldest first. */
export async function why(
  { config, output }: CommandContext,
  [threadId = '', position]: readonly string[],
  options: Options,
): Promise<undefined> {
  const seq = position === undefined ? undefined : offsetOf(position, 1)
  const client = await connect(config)
  const shown =
    seq === undefined
      ? (await client.threads.decisions(threadId, { limit: 1 })).decisions
      : await decisionsAbout(client, threadId, seq)
  if (shown.length === 0) throw new CliError(EXIT.notFound, nothingDecided(seq))
  const nameOf = await nameLookup(client, threadId)
  if (options['request'] === true) {
    const whole = await Promise.all(shown.map((one) => withRequests(client, threadId, one)))
    output.data(whole, () =>
      whole.flatMap((one) => [...sayWhy(one, nameOf), ...sayAsked(one.requests, nameOf)]),
    )
    return
  }
  output.data(shown, () => shown.flatMap((one) => sayWhy(one, nameOf)))
}

async function withRequests(
  client: ArbeClient,
  threadId: string,
  shown: DecisionWithOutcome,
): Promise<DecisionWithOutcome & { readonly requests: readonly ModelAsked[] }> {
  return { ...shown, ...(await client.threads.asked(threadId, shown.decision.d)) }
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
