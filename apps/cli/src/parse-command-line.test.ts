import { expect, test } from 'vitest'
import { CliError } from './exit.ts'
import { type CommandSpec, parseCommandLine } from './parse-command-line.ts'

const load = async () => async () => undefined
const post: CommandSpec = {
  name: 'post',
  args: ['<thread>', '[text]'],
  what: '',
  options: [
    { name: 'wait', value: 'for', what: '', choices: ['decision', 'outcome'] },
    { name: 'no-follow', what: '' },
    { name: 'key', value: 'key', what: '' },
  ],
  load,
}
const list: CommandSpec = { name: 'thread ls', what: '', load }
const create: CommandSpec = { name: 'thread new', args: ['[title]'], what: '', load }
const all = [post, list, create]

const parse = (...argv: readonly string[]) => parseCommandLine(all, argv)

test.each([
  [['post', 't', '-'], post, ['t', '-'], {}],
  [['post', 't', 'a b', '--wait', 'outcome'], post, ['t', 'a b'], { wait: 'outcome' }],
  [['post', '--key=', 't', '--no-follow'], post, ['t'], { key: '', 'no-follow': true }],
  [['post', 't', '--', '--help'], post, ['t', '--help'], {}],
  [['--json', 'thread', 'ls'], list, [], { json: true }],
  [['thread', '--json', 'ls'], list, [], { json: true }],
  [['thread', 'new', 'help'], create, ['help'], {}],
])('%j is a call', (argv, command, args, options) => {
  expect(parse(...argv)).toEqual({ kind: 'call', command, args, options })
})

test.each([
  [[], all, false],
  [['--help'], all, true],
  [['help'], all, true],
  [['-h'], all, true],
  [['thread'], [list, create], false],
  [['thread', '--help'], [list, create], true],
  [['help', 'thread'], [list, create], true],
  [['help', 'thread', 'new'], [create], true],
  [['thread', 'new', '-h'], [create], true],
  [['post', '--help'], [post], true],
])('%j is a question for help', (argv, about, asked) => {
  expect(parse(...argv)).toEqual({ kind: 'help', about, asked })
})

test('--version asks for the version', () => {
  expect(parse('--version')).toEqual({ kind: 'version' })
})

test.each([
  [['pots'], /^There is no command "pots"\./],
  [['thread', 'nwe'], /^There is no command "thread nwe"\./],
  [['help', 'pots'], /^There is no command "pots"\./],
  [['post'], /^arbe post needs <thread>\./],
  [
    ['post', 't', 'two', 'words'],
    /^arbe post takes <thread> \[text\], and "words" is one too many/,
  ],
  [['thread', 'ls', 'x'], /^arbe thread ls takes no argument, and "x" is one too many/],
  [['post', 't', '--wait', 'reply'], /^--wait takes decision or outcome, and is "reply"\.$/],
  [
    ['post', 't', '--wait'],
    /^Option '--wait <value>' argument missing\narbe post --help shows how\.$/,
  ],
  [['post', 't', '--no-follow=1'], /'--no-follow' does not take an argument/],
  [['post', 't', '--nope'], /^Unknown option '--nope'/],
])('%j is a slip, and is told what it is', (argv, said) => {
  const parsing = () => parse(...argv)
  expect(parsing).toThrow(CliError)
  expect(parsing).toThrow(said)
})
