import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../scripts/bench/median.ts'

/**
 * Milliseconds of processor time that Node takes from start to end with each way's arguments, as medians of rounds of all of them: what
 * else the machine does lengthens its clock, and falls on all alike.
 */
export function medianCpu<Way extends string>(
  ways: Readonly<Record<Way, readonly string[]>>,
  rounds: number,
): Readonly<Record<Way, number>> {
  const names = Object.keys(ways) as Way[]
  const times = new Map<Way, number[]>(names.map((name) => [name, []]))
  const folder = mkdtempSync(join(tmpdir(), 'arbe-cpu-'))
  const probe = join(folder, 'tell-cpu.cjs')
  writeFileSync(probe, TELL)
  try {
    // The first two fill the compile cache.
    for (let round = -2; round < rounds; round += 1) {
      for (const name of names) {
        const time = cpuOf(probe, ways[name])
        if (round >= 0) times.get(name)?.push(time)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  const medians = names.map((name) => [name, median(times.get(name) ?? [])] as const)
  return Object.fromEntries(medians) as Record<Way, number>
}

/** The last thing that a process does. */
const TELL = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String(user + system))
})`

function cpuOf(probe: string, args: readonly string[]): number {
  const { output, stderr } = spawnSync(process.execPath, ['--require', probe, ...args], {
    env: { PATH: process.env['PATH'], HOME: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const told = output[3]?.toString() ?? ''
  if (told === '') throw new Error(`node ${args.join(' ')} told nothing: ${stderr.toString()}`)
  return Number(told) / 1_000
}
