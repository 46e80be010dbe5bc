import { parseArgs } from 'node:util'
import type { Action, Options } from './command-context.ts'
import { CliError, EXIT } from './exit.ts'

export interface CommandSpec {
  /** One word, or a group's and its own. */
  readonly name: string
  /** `<needed>`, `[optional]`. */
  readonly args?: readonly string[]
  readonly what: string
  readonly options?: readonly OptionSpec[]
  readonly examples?: readonly string[]
  /** It has an order of its own in which it stops. */
  readonly stopsItself?: true
  readonly load: () => Promise<Action>
}

export interface OptionSpec {
  /** Without its dashes. */
  readonly name: string
  /** What stands for its value in the help; undefined: a switch. */
  readonly value?: string
  readonly what: string
  readonly choices?: readonly string[]
}

export type CommandLine =
  | {
      readonly kind: 'call'
      readonly command: CommandSpec
      readonly args: readonly string[]
      readonly options: Options
    }
  /** About one command, a group or all; `asked` is false where a command was left out. */
  | { readonly kind: 'help'; readonly about: readonly CommandSpec[]; readonly asked: boolean }
  | { readonly kind: 'version' }

/**
 * With the platform's own parser: to load the usual library took as long as all the rest of a command's start.
 * Throws a CliError that says what is wrong with what was typed.
 */
export function parseCommandLine(
  commands: readonly CommandSpec[],
  argv: readonly string[],
): CommandLine {
  const { word, rest } = takeWord(argv)
  if (word === 'help') return { kind: 'help', about: find(commands, rest), asked: true }
  if (word !== undefined) return parseNamed(find(commands, [word]), word, rest)
  if (rest.some((one) => one === '--version' || one === '-V')) return { kind: 'version' }
  return { kind: 'help', about: commands, asked: rest.some(isHelp) }
}

function parseNamed(
  found: readonly CommandSpec[],
  first: string,
  rest: readonly string[],
): CommandLine {
  const command = found.find(({ name }) => name === first)
  if (command !== undefined) return parseCall(command, rest)
  const second = takeWord(rest)
  if (second.word === undefined) return { kind: 'help', about: found, asked: rest.some(isHelp) }
  const [member] = find(found, [first, second.word])
  if (member === undefined) return { kind: 'help', about: found, asked: false }
  return parseCall(member, second.rest)
}

/** Behind a `--` nothing is an option. */
function beforeTexts(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h'

/** The first word that is no switch; those before it stay. */
function takeWord(argv: readonly string[]): {
  readonly word: string | undefined
  readonly rest: readonly string[]
} {
  const at = argv.findIndex((word) => !/^-./.test(word))
  return at === -1
    ? { word: undefined, rest: argv }
    : { word: argv[at], rest: argv.toSpliced(at, 1) }
}

/** The commands whose names begin with the words; all for none. */
function find(commands: readonly CommandSpec[], words: readonly string[]): readonly CommandSpec[] {
  const found = commands.filter(({ name }) =>
    words.every((word, index) => name.split(' ')[index] === word),
  )
  if (found.length === 0)
    throw usage(`There is no command "${words.join(' ')}".`, 'arbe --help lists them.')
  return found
}

function parseCall(command: CommandSpec, argv: readonly string[]): CommandLine {
  if (beforeTexts(argv).some(isHelp)) return { kind: 'help', about: [command], asked: true }
  const { args = [], name } = command
  const { given, options } = read(command, argv)
  const missing = args[given.length]
  if (missing?.startsWith('<') === true)
    throw usage(`arbe ${name} needs ${missing}.`, hint(command))
  if (given.length > args.length)
    throw usage(
      `arbe ${name} takes ${args.join(' ') || 'no argument'}, and "${given[args.length]}" is one too many.`,
      'A text of several words stands in quotes.',
    )
  return { kind: 'call', command, args: given, options }
}

function read(
  command: CommandSpec,
  argv: readonly string[],
): { readonly given: readonly string[]; readonly options: Options } {
  const specs = new Map((command.options ?? []).map((option) => [option.name, option]))
  const given: string[] = []
  const options: Record<string, string | true> = {}
  for (const token of tokensOf(command, argv)) {
    if (token.kind === 'positional') given.push(token.value)
    if (token.kind !== 'option') continue
    const choices = specs.get(token.name)?.choices
    if (choices !== undefined && !choices.includes(token.value ?? ''))
      throw usage(`--${token.name} takes ${choices.join(' or ')}, and is "${token.value}".`)
    options[token.name] = token.value ?? true
  }
  return { given, options }
}

function tokensOf(command: CommandSpec, argv: readonly string[]) {
  const options: Record<string, { readonly type: 'boolean' | 'string' }> = {
    json: { type: 'boolean' },
  }
  for (const { name, value } of command.options ?? [])
    options[name] = { type: value === undefined ? 'boolean' : 'string' }
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, tokens: true, options }).tokens
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CliError(EXIT.usage, `${message}\n${hint(command)}`, { cause: error })
  }
}

const hint = ({ name }: CommandSpec): string => `arbe ${name} --help shows how.`

const usage = (...lines: readonly string[]): CliError => new CliError(EXIT.usage, lines.join('\n'))
