import { loadavg } from 'node:os'

export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
}

/** Takes one measured figure; each becomes one line of JSON. */
export type Report = (figure: Figure) => void

export function reportFor(workload: string, print: (line: string) => void): Report {
  return ({ figure, value, unit }) => {
    const load = Number(loadavg()[0]?.toFixed(2))
    print(JSON.stringify({ workload, figure, value: Number(value.toPrecision(4)), unit, load }))
  }
}
