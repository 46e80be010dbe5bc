import { rm } from 'node:fs/promises'
import { type ChaosCommand, HELP, readChaosOptions, WrongOption } from './chaos-options.ts'
import type { ChaosReport } from './chaos-order.ts'
import { runAppends } from './run-appends.ts'
import { runReopens } from './run-reopens.ts'
import { runStorm } from './run-storm.ts'

// The program of `npm run chaos`.

const MOST_LINES = 40

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args)
  if (typeof command === 'number') return command
  const { figures, broken } = await run(command)
  const { seed, engine, plant, folder } = command.order
  const about = { form: command.form, engine, seed, ...(plant !== undefined && { plant }) }
  console.log(JSON.stringify({ ...about, ...figures }))
  if (broken.length === 0) {
    await rm(folder, { recursive: true })
    return 0
  }
  for (const line of broken.slice(0, MOST_LINES)) console.error(line)
  if (broken.length > MOST_LINES) console.error(`… and ${broken.length - MOST_LINES} more`)
  console.error(`seed ${seed}; the logs are in ${folder}`)
  return 1
}

function run({ form, order, clients, kills }: ChaosCommand): Promise<ChaosReport> {
  switch (form) {
    case 'storm':
      return runStorm(order)
    case 'appends':
      return runAppends({ storm: { ...order, sweepMs: 'off' }, clients, each: 50, kills })
    case 'reopens': {
      const storm = { ...order, engine: 'pglite' } as const
      return runReopens({ storm, templates: kills / 20, firstStarts: kills / 10, kills })
    }
  }
}

function readCommand(args: readonly string[]): ChaosCommand | number {
  try {
    const command = readChaosOptions(args)
    if (command !== undefined) return command
    console.log(HELP)
    return 0
  } catch (error) {
    if (!(error instanceof WrongOption || error instanceof TypeError)) throw error
    console.error(`${error.message}\n\n${HELP}`)
    return 2
  }
}
