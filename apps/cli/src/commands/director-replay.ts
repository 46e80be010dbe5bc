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

/** What differs or cannot be compared, as it was and as it would be; why the rest was not made again; and the sums. */
export function sayReplay(found: DirectorReplay, nameOf: NameOf): readonly string[] {
  return [
    ...found.decisions.flatMap((one) => linesOf(one, nameOf)),
    ...linesOfUnmade(found.decisions),
    `${counts(found)}; choosing cost ${costs(found.cost)}`,
    ...(found.different > 0 ? [OF_TODAY] : []),
  ]
}

const OF_TODAY =
  'Names, descriptions, tools, bots’ own modes and the house’s limits are those of today; a difference can come from them.'

function linesOf(one: ReplayedDecision, nameOf: NameOf): readonly string[] {
  const { seq, verdict, stored, note } = one
  const now = one.now === null ? '' : sayDecision(one.now, nameOf)
  const indent = ' '.repeat(String(seq).length)
  switch (verdict) {
    case 'same':
    case 'not_asked':
    case 'not_replayed':
      return []
    case 'different':
      return [`${seq}  ${sayDecision(stored, nameOf)}`, `${indent}  now  ${note ?? now}`]
    case 'not_comparable':
      return [`${seq}  ${note ?? ''}`, `${indent}  now  ${now}`]
  }
}

/** One line for each reason: a model that cannot be asked may leave two hundred decisions as they are. */
function linesOfUnmade(decisions: readonly ReplayedDecision[]): readonly string[] {
  const unmade = decisions.filter(({ verdict }) => verdict === 'not_replayed')
  const byReason = Map.groupBy(unmade, ({ note }) => note ?? '')
  return [...byReason].map(([note, ones]) => `${placesOf(ones)}  not made again: ${note}`)
}

function placesOf(ones: readonly ReplayedDecision[]): string {
  const [first, last] = [ones.at(0)?.seq, ones.at(-1)?.seq]
  return first === last ? String(first) : `${first} to ${last}, ${ones.length} decisions`
}

function counts(found: DirectorReplay): string {
  const { same, different } = found
  const others = [
    [found.notComparable, 'not to be compared'],
    [found.notReplayed, 'not made again'],
    [found.notAsked, 'left to a model and not asked (--model asks one)'],
  ] as const
  return [
    `${same} the same, ${different} different`,
    ...others.filter(([times]) => times > 0).map(([times, what]) => `${times} ${what}`),
  ].join(', ')
}

function costs({ stored, now }: DirectorReplay['cost']): string {
  return now === null
    ? `${sayMoney(stored)} then`
    : `${sayMoney(stored)} then, ${sayMoney(now)} now`
}
