import type { CommandContext, Options } from '../command-context.ts'
import type { Environment } from '../config.ts'
import { CliError, EXIT, type ExitCode } from '../exit.ts'
import { textOf } from '../read-option.ts'
import {
  buildWebPage,
  isConfigError,
  isWebPageBuilt,
  type Part,
  serve,
  type Serving,
} from '../serve.ts'
import { watchProcess } from '../watch-process.ts'

export const start = (context: CommandContext, _args: readonly string[], options: Options) =>
  serveUntilStopped(context, options, ['www', 'backstage'])

export const www = (context: CommandContext, _args: readonly string[], options: Options) =>
  serveUntilStopped(requireServer(context, 'www'), options, ['www'])

export const backstage = (context: CommandContext, _args: readonly string[], options: Options) =>
  serveUntilStopped(requireServer(context, 'backstage'), options, ['backstage'])

/** An embedded database belongs to one process: parts that run apart need a server. */
function requireServer(context: CommandContext, part: Part): CommandContext {
  if (context.env['DATABASE_URL']) return context
  const message = `arbe ${part} runs beside others on one Postgres: set DATABASE_URL, or use arbe start.`
  throw new CliError(EXIT.usage, message)
}

async function serveUntilStopped(
  { env, output }: CommandContext,
  options: Options,
  parts: readonly Part[],
): Promise<ExitCode> {
  if (parts.includes('www') && !isWebPageBuilt()) {
    output.note('Building the web page, once …')
    await buildWebPage()
  }
  watchProcess(report)
  const stopped = stopSignal()
  const serving = await open(withOptions(env, options), {
    parts,
    ownerLink: options['owner-link'] === true,
  })
  const { url, ownerLink, engine, where, demo } = serving
  output.data({ url, ownerLink, engine, where, demo }, () => greeting(serving))
  await stopped
  output.note('Stopping: what runs may end …')
  endAnyway(serving, output)
  await serving.close()
  return EXIT.ok
}

/** Something may wait for what never answers. Nothing is lost by ending then: it is as after a crash. */
function endAnyway({ closesWithinMs }: Serving, output: CommandContext['output']): void {
  const late = (): void => {
    output.note('Something does not end; stopped without it.')
    process.exit(EXIT.failure)
  }
  setTimeout(late, closesWithinMs).unref()
}

function withOptions(env: Environment, options: Options): Environment {
  const port = textOf(options['port'])
  const data = textOf(options['data'])
  return {
    ...env,
    ...(port !== undefined && { ARBE_PORT: port }),
    ...(data !== undefined && { ARBE_DATA: data }),
  }
}

async function open(
  env: Environment,
  what: { readonly parts: readonly Part[]; readonly ownerLink: boolean },
): Promise<Serving> {
  try {
    return await serve(env, { ...what, onError: report })
  } catch (error) {
    if (isConfigError(error)) throw new CliError(EXIT.usage, error.message, { cause: error })
    throw error
  }
}

function greeting({ url, ownerLink, engine, where, demo }: Serving): readonly string[] {
  return [
    url === undefined ? 'This worker serves wakes.' : `arbe is at ${url}`,
    ...(ownerLink === undefined
      ? []
      : ['Open this to come in as the owner; it works once:', `  ${ownerLink}`]),
    engine === 'pglite'
      ? `Data is in ${where}; every message is on the disk before it is acknowledged.`
      : 'Data is on the Postgres server of DATABASE_URL.',
    ...(demo
      ? [
          'Bots speak through the built-in demo model. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider’s key for a real one.',
        ]
      : []),
    'Ctrl-C stops it.',
  ]
}

/** A first signal stops in good order; a second one, of either kind, ends the process. */
function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(EXIT.interrupted)
      isStopping = true
      resolve()
    })
  return promise
}

function report(error: unknown): void {
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), level: 'error', error: traceOf(error) })}\n`,
  )
}

/** With what caused it, and without what else an error carries: those of a database hold what was to be stored. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const trace = error.stack ?? error.message
  return error.cause === undefined ? trace : `${trace}\ncaused by ${traceOf(error.cause)}`
}
