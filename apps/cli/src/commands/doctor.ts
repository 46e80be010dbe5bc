import { inspectPlace } from '@arbe/core/db/inspect-place'
import { readModelsConfig } from '@arbe/core/models/models-config'
import type { CommandContext } from '../command-context.ts'
import type { Environment } from '../config.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { sentenceOf } from '../failure.ts'
import { isLoopback, isWebPageBuilt, readBackstageConfig, readWwwConfig } from '../serve.ts'
import { probeBubblewrap } from '@arbe/sandbox/probe-bubblewrap'

interface Finding {
  readonly about: string
  readonly state: 'ok' | 'weak' | 'broken'
  readonly detail: string
}

/** Looks and changes nothing; exits with 1 when something is weak or broken. */
export async function doctor({ env, output }: CommandContext): Promise<ExitCode> {
  const findings = await examine(env)
  output.data(findings, () =>
    findings.map(({ about, state, detail }) => `${state.padEnd(6)}  ${about.padEnd(8)}  ${detail}`),
  )
  return findings.every(({ state }) => state === 'ok') ? EXIT.ok : EXIT.failure
}

async function examine(env: Environment): Promise<readonly Finding[]> {
  const settings = await look('settings', () => settingsOf(env))
  return [
    await look('node', () => ok(process.version)),
    settings,
    // Where the database is, the settings say.
    ...(settings.state === 'broken' ? [] : [await look('database', () => databaseOf(env))]),
    await look('models', () => modelsOf(env)),
    await look('sandbox', sandboxOf),
    await look('page', () => ok(isWebPageBuilt() ? 'built' : 'not built; the first start does it')),
  ]
}

type Look = Omit<Finding, 'about'>

async function look(about: string, check: () => Look | Promise<Look>): Promise<Finding> {
  try {
    return { about, ...(await check()) }
  } catch (error) {
    return { about, state: 'broken', detail: sentenceOf(error) }
  }
}

const ok = (detail: string): Look => ({ state: 'ok', detail })

function settingsOf(env: Environment): Look {
  const { host, port } = readWwwConfig(env)
  readBackstageConfig(env)
  if (isLoopback(host)) return ok(`listens on ${host}:${port}, for this machine alone`)
  return { state: 'weak', detail: `listens on ${host}:${port}, which others can reach` }
}

async function databaseOf(env: Environment): Promise<Look> {
  const { databaseUrl, dataDir } = readWwwConfig(env)
  return ok(await inspectPlace(databaseUrl === undefined ? { dataDir } : { url: databaseUrl }))
}

// Weak and not broken: a house without commands is a whole house.
async function sandboxOf(): Promise<Look> {
  const health = await probeBubblewrap('bwrap')
  return health.status === 'ready'
    ? ok('bots can run commands in boxes of this machine')
    : { state: 'weak', detail: `no commands for bots: ${health.reason}. ${health.remedy}` }
}

function modelsOf(env: Environment): Look {
  const { keys, providers } = readModelsConfig(env)
  const names = [...keys.keys(), ...providers.map(({ name }) => name)]
  return ok(names.length === 0 ? 'no provider: bots use the built-in demo model' : names.join(', '))
}
