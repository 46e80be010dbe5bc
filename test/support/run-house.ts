import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { HouseLine, HouseOrder, HouseReport } from './killed-house-order.ts'

export interface HouseRun {
  readonly lines: readonly HouseLine[]
  readonly wasKilled: boolean
}

export interface RunningHouse {
  /** Fulfilled as soon as it has said so. */
  heard(isMeant: (line: HouseLine) => boolean): Promise<void>
  send(signal: 'SIGKILL' | 'SIGCONT'): void
  readonly ended: Promise<HouseRun>
}

const PROGRAM = join(import.meta.dirname, 'killed-house.ts')

/** Runs one process of a house to its end, whichever that is. */
export function runHouse(order: HouseOrder): Promise<HouseRun> {
  return startHouse(order).ended
}

export function startHouse(order: HouseOrder): RunningHouse {
  const house = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: HouseLine[] = []
  const listeners = new Set<() => void>()
  createInterface(house.stdout).on('line', (line) => {
    lines.push(JSON.parse(line))
    for (const listener of listeners) listener()
  })
  return {
    heard(isMeant) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = (): void => {
        if (lines.some(isMeant)) resolve()
      }
      listeners.add(look)
      look()
      return promise
    },
    send: (signal) => void house.kill(signal),
    ended: end(),
  }

  async function end(): Promise<HouseRun> {
    const [complaints, [code, signal]] = await Promise.all([
      text(house.stderr),
      once(house, 'close'),
    ])
    if (code !== 0 && signal !== 'SIGKILL')
      throw new Error(`the house ended by itself: ${complaints}`)
    return { lines, wasKilled: signal === 'SIGKILL' }
  }
}

export function reportIn({ lines }: HouseRun): HouseReport {
  const line = lines.find(({ type }) => type === 'report')
  if (line?.type !== 'report') throw new Error('the process reported nothing')
  return line.report
}
