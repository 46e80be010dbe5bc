import type { CommandSpec, OptionSpec } from './parse-command-line.ts'

/** The help of one command, or the list of several. */
export function helpText(about: readonly CommandSpec[], isAll: boolean): string {
  const [command] = about
  const lines =
    command !== undefined && about.length === 1
      ? commandHelp(command)
      : isAll
        ? [...INTRODUCTION, ...listOf([...about, DISPATCH]), ...AFTER]
        : listOf(about)
  return `${lines.join('\n')}\n`
}

function commandHelp({ name, args = [], what, options = [], examples = [] }: CommandSpec) {
  return [
    `Usage: arbe ${[name, ...args, '[options]'].join(' ')}`,
    '',
    what,
    '',
    'Options:',
    ...columns([...options, JSON_OPTION].map((option) => [flagOf(option), meaningOf(option)])),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((line) => `  ${line}`)]),
  ]
}

function listOf(about: readonly Pick<CommandSpec, 'name' | 'args' | 'what'>[]) {
  const rows = about.map(({ name, args = [], what }) => [[name, ...args].join(' '), what] as const)
  return ['Commands:', ...columns(rows), '', 'arbe <command> --help shows the options of one.']
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function flagOf({ name, value }: OptionSpec): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`
}

function meaningOf({ what, choices }: OptionSpec): string {
  return choices === undefined ? what : `${what}: ${choices.join(', ')}`
}

const JSON_OPTION: OptionSpec = {
  name: 'json',
  what: 'print data as JSON, in the shapes of the API',
}

// Answered by the launcher before this is loaded.
const DISPATCH = {
  name: 'dispatch',
  what: 'run one tool call: JSON on stdin, JSON on stdout (--jsonl: one a line)',
}

const INTRODUCTION = [
  'Usage: arbe <command> [options]',
  '',
  'Group chat for people and AI bots: one director chooses who speaks, or nobody.',
  '',
]

const AFTER = [
  '',
  'Examples:',
  '  arbe start                                    a house on this machine',
  '  arbe login http://127.0.0.1:7300/join/own_…   with the link its first start prints',
  '  arbe post thr_… "@ada hello" --wait outcome   say something, print the reply',
  '  arbe why thr_…                                who spoke last, or nobody, and why',
  '',
  'Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 not allowed, 5 conflict,',
  '6 nobody spoke, 124 timed out, 130 interrupted',
]
