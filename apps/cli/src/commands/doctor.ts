import { inspectPlace } from '@arbe/core/db/inspect-place'
import { readModelsConfig } from '@arbe/core/models/models-config'
import { EXIT, type ExitCode, sentenceOf } from '../exit.ts'
import type { CommandContext } from '../main.ts'
import { isLoopback, isWebPageBuilt, readWwwConfig } from '../serve.ts'

interface Finding {
  readonly about: string
  readonly state: 'ok' | 'weak' | 'broken'
  readonly detail: string
}

/** Looks and changes nothing; exits with 1 when something is weak or broken. */
export async function doctor({ env, output }: CommandContext): Promise<ExitCode> {
  const findings = await Promise.all([
    look('node', async () => ok(process.version)),
    look('settings', async () => bindingOf(readWwwConfig(env))),
    look('database', async () => databaseOf(env)),
    look('models', async () => modelsOf(env)),
    look('web page', async () =>
      isWebPageBuilt() ? ok('built') : ok('not built yet; the first start builds it'),
    ),
  ])
  output.data(findings, () =>
    findings.map(({ about, state, detail }) => `${state.padEnd(6)}  ${about.padEnd(9)}  ${detail}`),
  )
  return findings.every(({ state }) => state === 'ok') ? EXIT.ok : EXIT.failure
}

type Look = Omit<Finding, 'about'>

async function look(about: string, check: () => Promise<Look>): Promise<Finding> {
  try {
    return { about, ...(await check()) }
  } catch (error) {
    return { about, state: 'broken', detail: sentenceOf(error) }
  }
}

const ok = (detail: string): Look => ({ state: 'ok', detail })

function bindingOf({ host, port }: ReturnType<typeof readWwwConfig>): Look {
  if (isLoopback(host)) return ok(`listens on ${host}:${port}, this machine alone`)
  return { state: 'weak', detail: `listens on ${host}:${port}, which others can reach` }
}

async function databaseOf(env: CommandContext['env']): Promise<Look> {
  const { databaseUrl, dataDir } = readWwwConfig(env)
  return ok(await inspectPlace(databaseUrl === undefined ? { dataDir } : { url: databaseUrl }))
}

function modelsOf(env: CommandContext['env']): Look {
  const { keys, providers } = readModelsConfig(env)
  const names = [...keys.keys(), ...providers.map(({ name }) => name)]
  return ok(names.length === 0 ? 'no provider: bots use the built-in demo model' : names.join(', '))
}
