import { Command, CommanderError, Option } from 'commander'
import { processEnvironment, readCliConfig } from './config.ts'
import { CliError, EXIT, type ExitCode, exitCodeOf, sentenceOf } from './exit.ts'
import { createOutput, type Output } from './output.ts'

export interface CommandContext {
  readonly env: ReturnType<typeof processEnvironment>
  readonly config: ReturnType<typeof readCliConfig>
  readonly output: Output
  readonly signal: AbortSignal
}

/** What a command does is loaded when it is called: starting the command line stays cheap. */
type Action = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<ExitCode | undefined>
export type Options = Readonly<Record<string, string | boolean | undefined>>

const program = new Command('arbe')
  .description(
    'Group chat for people and AI bots in which one director chooses who speaks, or nobody.',
  )
  .addOption(new Option('--json', 'print data as JSON, in the shapes of the API'))
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) })
  .addHelpText(
    'after',
    `
Examples:
  arbe start                                  a house on this machine
  arbe login http://127.0.0.1:7300/join/own_… log in with the link that the first start printed
  arbe post thr_… "@ada hello" --wait outcome say something and print the reply
  arbe why thr_…                              who spoke last, or nobody, and why
  echo '{"op":"dispatch",…}' | arbe dispatch  run one tool call on a JSON workspace

Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 not allowed, 5 conflict, 6 nobody spoke, 124 timed out, 130 interrupted`,
  )

interface Entry {
  readonly spec: string
  readonly what: string
  readonly load: () => Promise<Action>
}

function command(parent: Command, { spec, what, load }: Entry): Command {
  return parent
    .command(spec)
    .description(what)
    .addOption(new Option('--json', 'print data as JSON'))
    .exitOverride()
    .action(async (...given: unknown[]) => {
      const self = given.pop()
      if (!(self instanceof Command)) throw new Error('commander gives the command last')
      await run(await load(), self)
    })
}

async function run(action: Action, self: Command): Promise<void> {
  const interrupted = new AbortController()
  const context = {
    env: processEnvironment(),
    config: readCliConfig(processEnvironment(), process.stdout.isTTY),
    output: createOutput(program.opts()['json'] === true || self.opts()['json'] === true),
    signal: interrupted.signal,
  }
  process.once('SIGINT', () => interrupted.abort(new CliError(EXIT.interrupted, 'Interrupted.')))
  process.exitCode = (await action(context, self.args, self.opts())) ?? EXIT.ok
}

const start = async () => (await import('./commands/start.ts')).start
command(program, {
  spec: 'start',
  what: 'serve a house from this machine: page, API and worker in one process',
  load: start,
})
  .option('--port <number>', 'where it listens (ARBE_PORT, 7300)')
  .option('--data <folder>', 'where it keeps its data (ARBE_DATA, ~/.arbe)')
  .option('--owner-link', 'print a fresh one-time link for the owner')
command(program, {
  spec: 'www',
  what: 'serve page and API alone, beside workers on one Postgres',
  load: async () => (await import('./commands/start.ts')).www,
})
  .option('--port <number>', 'where it listens (ARBE_PORT, 7300)')
  .option('--owner-link', 'print a fresh one-time link for the owner')
command(program, {
  spec: 'backstage',
  what: 'serve wakes alone: one of any number of workers on one Postgres',
  load: async () => (await import('./commands/start.ts')).backstage,
})
command(program, {
  spec: 'login <link>',
  what: 'log in with the owner link or an invitation link',
  load: async () => (await import('./commands/login.ts')).login,
}).option('--name <name>', 'how the others see you')
command(program, {
  spec: 'post <thread> [text]',
  what: 'say something; - or nothing reads it from stdin',
  load: async () => (await import('./commands/post.ts')).post,
})
  .addOption(
    new Option('--wait <for>', 'wait for the decision, or for what came of it').choices([
      'decision',
      'outcome',
    ]),
  )
  .option('--key <key>', 'the same key again posts nothing twice')
  .option('--reply-to <offset>', 'the message it answers')
  .option('--timeout <seconds>', 'how long --wait waits', '120')
command(program, {
  spec: 'tail <thread>',
  what: 'print what is said, and go on as it comes',
  load: async () => (await import('./commands/tail.ts')).tail,
})
  .option('--after <offset>', 'begin behind this position', '0')
  .option('--no-follow', 'end at the last entry')
command(program, {
  spec: 'why <thread> [offset]',
  what: 'who was chosen for a message, or nobody, and why',
  load: async () => (await import('./commands/why.ts')).why,
})
command(program, {
  spec: 'doctor',
  what: 'say what works here and what is weak',
  load: async () => (await import('./commands/doctor.ts')).doctor,
})

const thread = program.command('thread').description('threads').exitOverride()
const threads = async () => await import('./commands/threads.ts')
command(thread, {
  spec: 'ls',
  what: 'list threads, the latest first',
  load: async () => (await threads()).list,
})
command(thread, {
  spec: 'new [title]',
  what: 'make a thread',
  load: async () => (await threads()).create,
})
  .option('--bot <handles>', 'bots by handle or id, with commas')
  .option('--person <handles>', 'people by handle or id, with commas')
command(thread, {
  spec: 'show <thread>',
  what: 'who is in a thread and when each bot speaks',
  load: async () => (await threads()).show,
})

const bot = program.command('bot').description('bots').exitOverride()
const bots = async () => await import('./commands/bots.ts')
const botOptions = (self: Command): Command =>
  self
    .option('--handle <handle>', 'how it is named after an @')
    .option('--description <text>', 'what it is good at; the director chooses by it')
    .option('--prompt <text>', 'who it is and how it works')
    .option('--voice <text>', 'how it sounds')
    .option('--model <provider/model>', 'its model; empty for the house’s default')
    .addOption(
      new Option('--mode <mode>', 'when it speaks').choices([
        'always',
        'auto',
        'mention',
        'never',
        'house',
      ]),
    )
command(bot, { spec: 'ls', what: 'list bots', load: async () => (await bots()).list })
botOptions(
  command(bot, { spec: 'add <name>', what: 'make a bot', load: async () => (await bots()).add }),
)
botOptions(
  command(bot, {
    spec: 'edit <bot>',
    what: 'change a bot, by handle or id',
    load: async () => (await bots()).edit,
  }),
).option('--name <name>', 'its new name')

// Answered by the launcher before this file is loaded; named here for the help.
program
  .command('dispatch')
  .description('run one tool call: JSON on stdin, JSON on stdout (--jsonl: one a line)')

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
  } else {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exitCode = exitCodeOf(error)
  }
}
