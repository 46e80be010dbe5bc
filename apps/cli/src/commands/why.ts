import type { DecisionWithOutcome } from '@arbe/sdk/client'
import { sayDecision, sayOutcome } from '@arbe/sdk/say-decision'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import type { CommandContext } from '../main.ts'
import { nameLookup } from '../names.ts'

/** The last decision, or those that cover a message. */
export async function why(
  { config, output }: CommandContext,
  [threadId = '', position]: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const nameOf = await nameLookup(client, threadId)
  const found: DecisionWithOutcome[] = []
  let before: number | undefined
  for (;;) {
    const where = before === undefined ? { limit: 200 } : { limit: 200, before }
    const page = await client.threads.decisions(threadId, where)
    const last = page.decisions.at(-1)
    found.push(...page.decisions.filter((one) => isAbout(one, position)))
    const reached = position === undefined || (last?.decision.to ?? 0) < Number(position)
    if (last === undefined || !page.more || reached) break
    before = last.seq
  }
  const shown = position === undefined ? found.slice(0, 1) : found.toReversed()
  if (shown.length === 0) throw new CliError(EXIT.notFound, nothingDecided(position))
  output.data(shown, () => shown.flatMap((one) => linesOf(one, nameOf)))
}

function isAbout({ decision }: DecisionWithOutcome, position: string | undefined): boolean {
  if (position === undefined) return true
  const seq = Number(position)
  return decision.from < seq && decision.to >= seq
}

function nothingDecided(position: string | undefined): string {
  return position === undefined
    ? 'Nothing has been decided in this thread yet.'
    : `No decision covers ${position}: it is not decided yet, or it is no message.`
}

function linesOf(
  { decision, outcome }: DecisionWithOutcome,
  nameOf: (id: string) => string,
): readonly string[] {
  const { candidates, requests, voided, from, to, seen, speaker, model, cost } = decision
  return [
    sayDecision(decision, nameOf),
    `  decided by  ${decision.kind === 'free' ? `rule ${decision.rule ?? ''}` : (model ?? 'a model')}${cost > 0 ? `, $${cost.toFixed(6)}` : ''}`,
    `  covers      ${from === to ? 'an older request' : `${from + 1} to ${to}`}, read up to ${seen}`,
    `  could speak ${candidates.map((one) => (one.eligible ? one.name : `(${one.name}: ${one.why ?? ''})`)).join(', ') || 'no bot'}`,
    ...requests.map(({ bot, entry, by }) => `  owed        ${nameOf(bot)}, for ${entry} (${by})`),
    ...voided.map((one) => `  void        ${nameOf(one.bot)}, for ${one.entry} (${one.why})`),
    ...(decision.error === undefined ? [] : [`  reason      ${decision.error}`]),
    ...(outcome === null || speaker === null
      ? []
      : [`  outcome     ${sayOutcome(outcome, nameOf(speaker))}`]),
  ]
}
