import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { SupervisedProgram } from './supervised-program.ts'

interface Sample {
  readonly at: number
  readonly rssMb: number
  readonly files: number
}

export interface ProcessGauge {
  readonly peakRssMb: number
  /** Open files, sockets among them. */
  readonly peakFiles: number
  /** Of the process that lived longest, after its first two minutes, by ten minutes; 0 when none lived for five. */
  readonly rssGrowthPercent: number
  readonly filesGrowth: number
}

const EVERY_MS = 2_000
const WARM_UP_MS = 120_000
const LONG_LIFE_MS = 300_000

/** Looks at the memory and the open files of all programs until the signal aborts. */
export async function gaugeProcesses(
  programs: readonly SupervisedProgram[],
  signal: AbortSignal,
): Promise<ProcessGauge> {
  const lives = new Map<number, Sample[]>()
  while (!signal.aborted) {
    for (const { pid } of programs) {
      const sample = pid === undefined ? undefined : sampleOf(pid)
      if (pid === undefined || sample === undefined) continue
      lives.set(pid, [...(lives.get(pid) ?? []).slice(-MOST_SAMPLES), sample])
    }
    await setTimeout(EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  const all = [...lives.values()].flat()
  const longest = [...lives.values()].toSorted((a, b) => lengthOf(b) - lengthOf(a))[0] ?? []
  return {
    peakRssMb: Math.max(0, ...all.map(({ rssMb }) => rssMb)),
    peakFiles: Math.max(0, ...all.map(({ files }) => files)),
    ...growthOf(longest),
  }
}

/** Some hours. */
const MOST_SAMPLES = 10_000

/** Undefined: it has just ended. */
export function sampleOf(pid: number): Sample | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const rssMb = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024
    if (Number.isNaN(rssMb)) return undefined
    return { at: Date.now(), rssMb, files: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return undefined
  }
}

function lengthOf(samples: readonly Sample[]): number {
  return (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)
}

/** The middle of the last fifth against the middle of the first, so that one collection of garbage more or less says nothing. */
function growthOf(life: readonly Sample[]): Pick<ProcessGauge, 'rssGrowthPercent' | 'filesGrowth'> {
  if (lengthOf(life) < LONG_LIFE_MS) return { rssGrowthPercent: 0, filesGrowth: 0 }
  const begun = life[0]?.at ?? 0
  const warm = life.filter(({ at }) => at > begun + WARM_UP_MS)
  const fifth = Math.ceil(warm.length / 5)
  const [first, last] = [warm.slice(0, fifth), warm.slice(-fifth)]
  const tens = (lengthOf(warm) * 0.8) / 600_000
  const rss = middle(first.map(({ rssMb }) => rssMb))
  return {
    rssGrowthPercent: ((middle(last.map(({ rssMb }) => rssMb)) / rss - 1) * 100) / tens,
    filesGrowth: middle(last.map(({ files }) => files)) - middle(first.map(({ files }) => files)),
  }
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
