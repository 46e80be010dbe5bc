import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../scripts/bench/median.ts'

/** Tells, as the last thing a process does, how long processors worked for it: other processes lengthen its clock, not this. */
const TELL = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String(user + system))
})`

let preload: string | undefined

/** Milliseconds of processor time that Node takes from start to end with these arguments. */
function cpuOfProcess(args: readonly string[]): number {
  preload ??= writePreload()
  const { output, stderr } = spawnSync(process.execPath, ['--require', preload, ...args], {
    env: { PATH: process.env['PATH'], HOME: tmpdir() },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const told = output[3]?.toString() ?? ''
  if (told === '') throw new Error(`node ${args.join(' ')} told nothing: ${stderr.toString()}`)
  return Number(told) / 1_000
}

function writePreload(): string {
  const folder = mkdtempSync(join(tmpdir(), 'arbe-cpu-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'tell-cpu.cjs')
  writeFileSync(file, TELL)
  return file
}

/** The median of each way, in rounds of all of them, so that what else the machine does falls on all alike. */
export function medianCpu<Way extends string>(
  ways: Readonly<Record<Way, readonly string[]>>,
  rounds: number,
): Readonly<Record<Way, number>> {
  const names = Object.keys(ways) as Way[]
  const times = new Map<Way, number[]>(names.map((name) => [name, []]))
  // The first two fill the compile cache.
  for (let round = -2; round < rounds; round += 1) {
    for (const name of names) {
      const time = cpuOfProcess(ways[name])
      if (round >= 0) times.get(name)?.push(time)
    }
  }
  const medians = names.map((name) => [name, median(times.get(name) ?? [])] as const)
  return Object.fromEntries(medians) as Record<Way, number>
}
