import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dispatchText } from '@arbe/core/dispatch/tool-protocol'
import { prepareWorkspaceTool } from '../../packages/core/volumes/workspace-tools.ts'
import { buildDispatcher } from '../build-dispatcher.ts'
import { median } from './median.ts'
import type { Report } from './report.ts'

const launcher = fileURLToPath(new URL('../../apps/cli/bin/arbe.js', import.meta.url))

/** The tool dispatcher on a file of 10,000 lines and 100,000 bytes in process, and the price of one process a call. */
export async function run(report: Report): Promise<void> {
  reportInProcess(report)
  const folder = await mkdtemp(join(tmpdir(), 'arbe-w4-'))
  const built = join(folder, 'arbe-dispatch.js')
  await buildDispatcher(built)
  reportOneShot(report, built)
  await rm(folder, { recursive: true })
}

const lines = Array.from({ length: 10_000 }, (_, n) => `l${String(n).padStart(7, '0')};\n`)
// Through JSON, as a real file comes: one flat string, not the pieces it was joined from.
const file: string = JSON.parse(JSON.stringify(lines.join('')))
const patchArgs = { path: 'app.ts', old_str: 'l0005000;\n', new_str: 'l0005000!\n' }

function reportInProcess(report: Report): void {
  const patchRequest = request('patch_file', patchArgs)
  const readRequest = request('read_file', { path: 'app.ts' })
  const ways: Record<string, () => unknown> = {
    'arguments checked, file patched': () => patched(),
    'arguments checked, file patched, new text laid out': () => Buffer.byteLength(patched()),
    'whole protocol, patch, bytes to text': () => dispatchText(patchRequest),
    'whole protocol, read, bytes to text': () => dispatchText(readRequest),
  }
  for (const [figure, way] of Object.entries(ways)) {
    report({ figure, value: perCpuSecond(way), unit: '1/CPU s' })
  }
}

function patched(): string {
  const prepared = prepareWorkspaceTool({ tool: 'patch_file', args: patchArgs })
  if (prepared.status === 'error') throw new Error(prepared.detail)
  const plan = prepared.plan(file)
  if (plan.status === 'error') throw new Error(plan.detail)
  return plan.write ?? ''
}

function perCpuSecond(way: () => unknown): number {
  repeatFor(500, way)
  return median(Array.from({ length: 5 }, () => repeatFor(400, way)))
}

/** How often in a second of processor time, since other processes make the clock's seconds longer. */
function repeatFor(milliseconds: number, way: () => unknown): number {
  const start = performance.now()
  const before = process.cpuUsage()
  let times = 0
  while (performance.now() - start < milliseconds) {
    way()
    times += 1
  }
  const { user, system } = process.cpuUsage(before)
  return (times * 1e6) / (user + system)
}

const ROUNDS = 31

function reportOneShot(report: Report, built: string): void {
  const bare = { figure: 'bare node', args: ['-e', '0'], input: Buffer.alloc(0) }
  const small = request('read_file', { path: 'none' }, {})
  const large = request('patch_file', patchArgs)
  const ways = [
    { figure: 'arbe dispatch', args: [launcher, 'dispatch'], input: small },
    { figure: 'arbe dispatch, 100 KB patch', args: [launcher, 'dispatch'], input: large },
    { figure: 'built arbe-dispatch', args: [built], input: small },
    { figure: 'built arbe-dispatch, 100 KB patch', args: [built], input: large },
  ]
  const times = new Map<string, number[]>()
  // Interleaved, so that what else the machine does falls on all alike. The first rounds fill the compile cache.
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const way of [bare, ...ways]) {
      const time = timeOf(way.args, way.input)
      if (round >= 0) times.set(way.figure, [...(times.get(way.figure) ?? []), time])
    }
  }
  const medianOf = ({ figure }: { figure: string }) => median(times.get(figure) ?? [])
  report({ figure: 'bare node, start to exit', value: medianOf(bare), unit: 'ms' })
  for (const way of ways) {
    const value = medianOf(way) / medianOf(bare)
    report({ figure: `${way.figure}, start to exit`, value, unit: '× bare node' })
  }
}

function timeOf(args: readonly string[], input: Uint8Array): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`)
  return performance.now() - start
}

function request(
  tool: string,
  args: Record<string, string>,
  workspace: Record<string, string> = { 'app.ts': file },
): Uint8Array {
  return Buffer.from(JSON.stringify({ op: 'dispatch', workspace, call: { tool, args } }))
}
