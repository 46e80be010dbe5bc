import type { DirectorReplay, ReplayedDecision } from '@arbe/sdk/api'
import { sayDecision } from '@arbe/sdk/say-decision'
import { sayMoney } from '@arbe/sdk/say-money'
import type { CommandContext, Options } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { connect } from '../login.ts'
import { nameLookup } from '../names.ts'
import { countOf, textOf } from '../read-option.ts'

/** How the last decisions would be made now with what was known then. Ends with 1 where any differs. */
export async function replay(
  { config, output }: CommandContext,
  [threadId = '']: readonly string[],
  options: Options,
): Promise<ExitCode | undefined> {
  const client = await connect(config)
  const model = textOf(options['model'])
  const found = await client.threads.replay(threadId, {
    ...(options['last'] !== undefined && { last: countOf(options['last']) }),
    ...(model !== undefined && { model }),
  })
  const nameOf = await nameLookup(client, threadId)
  output.data(found, () => sayReplay(found, nameOf))
  return found.different > 0 ? EXIT.failure : undefined
}

type NameOf = (id: string) => string

/** Two lines for each decision that differs, one for each that could not be made again, and the sums. */
export function sayReplay(found: DirectorReplay, nameOf: NameOf): readonly string[] {
  const { same, different, notReplayed, cost } = found
  const lines = found.decisions.flatMap((one) => linesOf(one, nameOf))
  const left = notReplayed === 0 ? '' : `, ${notReplayed} not made again`
  return [
    ...lines,
    `${same} the same, ${different} different${left}; choosing cost ${sayMoney(cost.stored)} then, ${sayMoney(cost.now)} now`,
  ]
}

function linesOf(one: ReplayedDecision, nameOf: NameOf): readonly string[] {
  const then = sayDecision(one.stored, nameOf)
  switch (one.verdict) {
    case 'same':
      return []
    case 'not_replayed':
      return [`${one.seq}  ${then}`, `  not made again: ${one.note ?? ''}`]
    case 'different': {
      const now = one.now === null ? (one.note ?? '') : sayDecision(one.now, nameOf)
      return [`${one.seq}  ${then}`, `  now  ${now}`]
    }
  }
}
