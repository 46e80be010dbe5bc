import { commands } from './commands.ts'
import { processEnvironment, readCliConfig } from './config.ts'
import { CliError, EXIT, type ExitCode } from './exit.ts'
import { createOutput } from './output.ts'
import { type CommandLine, parseCommandLine } from './parse-command-line.ts'

try {
  process.exitCode = await run(parseCommandLine(commands, process.argv.slice(2)))
} catch (error) {
  process.exitCode = await fail(error)
}

async function run(line: CommandLine): Promise<ExitCode> {
  switch (line.kind) {
    case 'call':
      return await call(line)
    case 'help':
      return await help(line)
    case 'version': {
      const { default: about } = await import('../package.json', { with: { type: 'json' } })
      process.stdout.write(`${about.version}\n`)
      return EXIT.ok
    }
  }
}

type Kind<K extends CommandLine['kind']> = Extract<CommandLine, { readonly kind: K }>

async function call({ command, args, options }: Kind<'call'>): Promise<ExitCode> {
  // A client command leaves nothing behind: what it waits for is dropped where it stands.
  if (command.stopsItself !== true) process.once('SIGINT', interrupt)
  process.stdout.once('error', endWithReader)
  const env = processEnvironment()
  const output = createOutput(options['json'] === true)
  const action = await command.load()
  return (await action({ env, config: readCliConfig(env), output }, args, options)) ?? EXIT.ok
}

function interrupt(): void {
  process.stderr.write('Interrupted.\n')
  process.exit(EXIT.interrupted)
}

/** `arbe tail … | head` has read enough. */
function endWithReader(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failure)
}

async function help({ about, asked }: Kind<'help'>): Promise<ExitCode> {
  const { helpText } = await import('./help-text.ts')
  const text = helpText(about, about.length === commands.length)
  ;(asked ? process.stdout : process.stderr).write(text)
  return asked ? EXIT.ok : EXIT.usage
}

async function fail(error: unknown): Promise<ExitCode> {
  const output = createOutput(false)
  if (error instanceof CliError) {
    output.note(error.message)
    return error.code
  }
  // Loaded here alone: it knows the API, which most of what is typed wrong has not reached.
  const { exitCodeOf, sentenceOf } = await import('./failure.ts')
  output.note(sentenceOf(error))
  return exitCodeOf(error)
}
