import type { Figure } from './report.ts'

export interface MeasuredFigure extends Figure {
  readonly workload: string
}

/** A smaller difference is none on a machine that does other work too. */
const TOLERANCE = 0.2

/** The lines of figures in what the bench printed. */
export function readFigures(text: string): readonly MeasuredFigure[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/**
 * What is worse than in the baseline by more than a fifth, a sentence each. Only ratios of things measured in turns, processor time and
 * memory are compared; what only one of the two measured is left out.
 */
export function findRegressions(
  baseline: readonly MeasuredFigure[],
  now: readonly MeasuredFigure[],
): readonly string[] {
  const before = new Map(baseline.map((figure) => [nameOf(figure), figure.value]))
  return now.flatMap((figure) => {
    const was = before.get(nameOf(figure))
    const good = COMPARED[figure.unit]
    if (was === undefined || good === undefined) return []
    const ratio = good === 'small' ? figure.value / was : was / figure.value
    if (ratio <= 1 + TOLERANCE) return []
    return [`${nameOf(figure)}: was ${was}, is ${figure.value}`]
  })
}

function nameOf({ workload, figure, unit }: MeasuredFigure): string {
  return `${workload}, ${figure}, ${unit}`
}

/** Any other unit is a clock's, and says more of the machine than of the code. */
const COMPARED: Readonly<Record<string, 'small' | 'large'>> = {
  '× by hand': 'large',
  '× raw': 'large',
  '× without tails': 'large',
  '× insert': 'small',
  '× bare node': 'small',
  '× 100 before': 'small',
  '1/CPU s': 'large',
  'ms processor time': 'small',
  's/1,000 turns': 'small',
  '1/turn': 'small',
  'µs processor time': 'small',
  MiB: 'small',
  'KB/tail': 'small',
}
