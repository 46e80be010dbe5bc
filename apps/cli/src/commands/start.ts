import type { CommandContext, Options } from '../main.ts'
import { CliError, EXIT, type ExitCode } from '../exit.ts'
import { buildWebPage, isWebPageBuilt, type Part, serve, type Serving } from '../serve.ts'

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
  context: CommandContext,
  options: Options,
  parts: readonly Part[],
): Promise<ExitCode> {
  const { output } = context
  if (parts.includes('www') && !isWebPageBuilt()) {
    output.note('Building the web page, once …')
    await buildWebPage()
  }
  const env = {
    ...context.env,
    ...(typeof options['port'] === 'string' && { ARBE_PORT: options['port'] }),
    ...(typeof options['data'] === 'string' && { ARBE_DATA: options['data'] }),
  }
  const stopped = stopSignal()
  const serving = await serve(env, {
    parts,
    ownerLink: options['ownerLink'] === true,
    onError: report,
  })
  for (const line of greeting(serving)) output.note(line)
  await stopped
  output.note('Stopping: what runs may end …')
  await serving.close()
  return EXIT.ok
}

function greeting(serving: Serving): readonly string[] {
  const { url, ownerLink, engine, where, demo } = serving
  const survives =
    engine === 'pglite'
      ? `Data is in ${where}; every acknowledged message is on the disk before it is acknowledged.`
      : 'Data is on the Postgres server of DATABASE_URL.'
  return [
    ...(url === undefined ? ['This worker serves wakes.'] : [`arbe is at ${url}`]),
    ...(ownerLink === undefined ? [] : [`Open this once to come in as the owner:\n  ${ownerLink}`]),
    survives,
    ...(demo
      ? [
          'Bots speak through the built-in demo model. With ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider’s key set they use a real one.',
        ]
      : []),
    'Ctrl-C stops it.',
  ]
}

/** A first signal stops in good order; a second one ends the process. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        resolve()
        process.once(signal, () => process.exit(EXIT.interrupted))
      })
  })
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), level: 'error', error: text })}\n`,
  )
}
