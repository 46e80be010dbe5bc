import { expect, test } from 'vitest'
import { findRegressions, readFigures } from './compare.ts'
import { reportFor } from './report.ts'

const printed = (...figures: readonly (readonly [string, number, string])[]): string => {
  const lines: string[] = ['> arbe@0.1.0 bench']
  const report = reportFor('W6', (line) => lines.push(line))
  for (const [figure, value, unit] of figures) report({ figure, value, unit })
  return lines.join('\n')
}
const compare = (before: string, now: string): readonly string[] =>
  findRegressions(readFigures(before), readFigures(now))

test('[R-55] a ratio that got worse by more than a fifth is told, with both values', () => {
  const before = printed(['one hot thread', 2.4, '× raw'], ['a pass', 2, 'ms processor time'])
  const now = printed(['one hot thread', 1.9, '× raw'], ['a pass', 2.5, 'ms processor time'])
  expect(compare(before, now)).toEqual([
    'W6, one hot thread, × raw: was 2.4, is 1.9',
    'W6, a pass, ms processor time: was 2, is 2.5',
  ])
})

test('[R-55] within a fifth, and better by any amount, nothing is told', () => {
  const before = printed(['hot', 2.4, '× raw'], ['hot', 2, 'ms processor time'])
  const now = printed(['hot', 2.01, '× raw'], ['hot', 2.39, 'ms processor time'])
  const better = printed(['hot', 24, '× raw'], ['hot', 0.2, 'ms processor time'])
  expect([compare(before, now), compare(before, better)]).toEqual([[], []])
})

test('[R-55] what a clock says, and what only one of both measured, is not compared', () => {
  const before = printed(['appends', 5_000, '1/s'], ['gone', 2, '× raw'], ['p99', 5, 'ms'])
  const now = printed(['appends', 50, '1/s'], ['new', 0.1, '× raw'], ['p99', 500, 'ms'])
  expect(compare(before, now)).toEqual([])
})
