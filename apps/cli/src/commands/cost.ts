import type { Cost, CostRow } from '@arbe/sdk/api'
import { sayMoney } from '@arbe/sdk/say-money'
import type { CommandContext, Options } from '../command-context.ts'
import { connect } from '../login.ts'
import { COST_BY } from '../cost-by.ts'
import { minutesOf } from '../read-option.ts'

const MINUTE_MS = 60_000

/** What model calls have cost: of the house, or of one thread. */
export async function cost(
  { config, output }: CommandContext,
  [threadId]: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const where = {
    by: COST_BY.find((one) => one === options['by']),
    since:
      options['since'] === undefined
        ? undefined
        : new Date(Date.now() - minutesOf(options['since']) * MINUTE_MS).toISOString(),
  }
  const found = await (threadId === undefined
    ? client.cost(where)
    : client.threads.cost(threadId, where))
  output.data(found, () => sayCost(found))
}

const HEAD = ['cost', 'choosing', 'calls', 'tokens in', 'tokens out'] as const

/** One line a row, the sum last; figures stand under each other. */
export function sayCost({ by, rows, total }: Cost): readonly string[] {
  const table = [
    [...HEAD, by],
    ...rows.map((row) => [...figuresOf(row), nameOf(row, by)]),
    [...figuresOf(total), 'all'],
  ]
  const widths = HEAD.map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)))
  const lines = table.map((cells) =>
    cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '),
  )
  const open = total.unsettled
  return open === 0
    ? lines
    : [...lines, `The bill of ${open} ${open === 1 ? 'call' : 'calls'} never came.`]
}

function figuresOf({ choosing, calls, usage, ...of }: Cost['total']): readonly string[] {
  const read = usage.input + usage.cacheRead + usage.cacheWrite
  return [sayMoney(of.cost), sayMoney(choosing), ...[calls, read, usage.output].map(String)]
}

function nameOf({ key, name }: CostRow, by: Cost['by']): string {
  if (by === 'bot' && key === '') return 'the director'
  if (key === name) return key || 'untitled'
  return `${name} (${key})`
}
