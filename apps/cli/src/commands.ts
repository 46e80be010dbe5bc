import { COST_BY } from './cost-by.ts'
import type { CommandSpec, OptionSpec } from './parse-command-line.ts'

const port: OptionSpec = {
  name: 'port',
  value: 'number',
  what: 'where it listens (ARBE_PORT, 7300); 0 takes any free port',
}
const ownerLink: OptionSpec = {
  name: 'owner-link',
  what: 'print a fresh link that signs the owner in, once',
}
const replyTo: OptionSpec = {
  name: 'reply-to',
  value: 'offset',
  what: 'the message it answers',
}
const network: OptionSpec = {
  name: 'network',
  value: 'mode',
  what: 'what its commands reach: nothing, or all that this machine reaches, its own services too',
  choices: ['none', 'open'],
}
const modes = ['always', 'auto', 'mention', 'never', 'house']
const botOptions: readonly OptionSpec[] = [
  { name: 'handle', value: 'handle', what: 'how it is named after an @' },
  { name: 'description', value: 'text', what: 'what it is good at; the director chooses by it' },
  { name: 'prompt', value: 'text', what: 'who it is and how it works' },
  { name: 'voice', value: 'text', what: 'how it sounds' },
  { name: 'model', value: 'name', what: 'provider/model; empty: the house’s default' },
  {
    name: 'mode',
    value: 'mode',
    what: 'when it speaks',
    choices: modes,
  },
]

// What a command does is loaded when it is called: starting the command line stays cheap.
const starts = async () => await import('./commands/start.ts')
const threads = async () => await import('./commands/threads.ts')
const threadFile = async () => await import('./commands/thread-file.ts')
const environments = async () => await import('./commands/environments.ts')
const bots = async () => await import('./commands/bots.ts')

/** Every command, in the order of the help. */
export const commands: readonly CommandSpec[] = [
  {
    name: 'start',
    what: 'serve a house from this machine: page, API and worker in one process',
    options: [
      port,
      { name: 'data', value: 'folder', what: 'where it keeps its data (ARBE_DATA, ~/.arbe)' },
      ownerLink,
    ],
    examples: ['arbe start', 'arbe start --port 8080 --data ./house'],
    stopsItself: true,
    load: async () => (await starts()).start,
  },
  {
    name: 'www',
    what: 'serve page and API alone, beside workers on one Postgres',
    options: [port, ownerLink],
    stopsItself: true,
    load: async () => (await starts()).www,
  },
  {
    name: 'backstage',
    what: 'serve wakes alone: one of any number of workers on one Postgres',
    stopsItself: true,
    load: async () => (await starts()).backstage,
  },
  {
    name: 'login',
    args: ['<link>'],
    what: 'log in with the owner’s link or an invitation',
    options: [{ name: 'name', value: 'name', what: 'how the others see you' }],
    examples: ['arbe login http://127.0.0.1:7300/join/own_…'],
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'post',
    args: ['<thread>', '[text]'],
    what: 'say something; without a text, or with -, it is read from stdin',
    options: [
      {
        name: 'wait',
        value: 'for',
        what: 'wait for the decision, or for what came of it',
        choices: ['decision', 'outcome'],
      },
      { name: 'timeout', value: 'seconds', what: 'how long --wait waits (120)' },
      replyTo,
      { name: 'key', value: 'key', what: 'said once, however often it is posted with this key' },
    ],
    examples: [
      'arbe post thr_… "@ada hello" --wait outcome',
      'git log -5 | arbe post thr_… --key "log-$(git rev-parse HEAD)"',
    ],
    load: async () => (await import('./commands/post.ts')).post,
  },
  {
    name: 'tail',
    args: ['<thread>'],
    what: 'print what is said, and go on as it comes',
    options: [
      { name: 'after', value: 'offset', what: 'begin behind this offset (0)' },
      { name: 'no-follow', what: 'end at the last entry' },
    ],
    examples: ['arbe tail thr_…', 'arbe tail thr_… --after 120 --no-follow --json'],
    load: async () => (await import('./commands/tail.ts')).tail,
  },
  {
    name: 'why',
    args: ['<thread>', '[offset]'],
    what: 'who was chosen for a message, or nobody, and why (the last decision)',
    options: [
      { name: 'request', what: 'also what the model was asked and answered; for the owner' },
    ],
    examples: ['arbe why thr_…', 'arbe why thr_… 12', 'arbe why thr_… 12 --request'],
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    name: 'thread ls',
    what: 'list your threads, the latest first',
    load: async () => (await threads()).list,
  },
  {
    name: 'thread new',
    args: ['[title]'],
    what: 'make a thread and print its id',
    options: [
      { name: 'bot', value: 'handles', what: 'bots by handle or id, with commas between' },
      { name: 'person', value: 'handles', what: 'people by handle or id, with commas between' },
    ],
    examples: ['arbe thread new "Release notes" --bot ada,bo'],
    load: async () => (await threads()).create,
  },
  {
    name: 'thread show',
    args: ['<thread>'],
    what: 'who is in a thread and when each bot speaks',
    load: async () => (await threads()).show,
  },
  {
    name: 'thread set',
    args: ['<thread>'],
    what: 'change how a thread behaves; what is not named stays',
    options: [
      {
        name: 'banter',
        value: 'state',
        what: 'whether bots may answer each other; each of their texts then costs a choice',
        choices: ['on', 'off'],
      },
      {
        name: 'limit-per-bot',
        value: 'turns',
        what: 'of one bot without a word by a person (100 at most)',
      },
      { name: 'limit-per-thread', value: 'turns', what: 'of all its bots together (500 at most)' },
    ],
    examples: ['arbe thread set thr_… --banter on --limit-per-thread 12'],
    load: async () => (await threads()).set,
  },
  {
    name: 'thread mute',
    args: ['<thread>', '<bot>'],
    what: 'keep a bot silent in a thread, by handle or id; it is owed nothing from before',
    options: [{ name: 'for', value: 'time', what: '30m, 1h or 2d; else until it is unmuted' }],
    examples: ['arbe thread mute thr_… @ada --for 1h'],
    load: async () => (await threads()).mute,
  },
  {
    name: 'thread unmute',
    args: ['<thread>', '<bot>'],
    what: 'let a muted bot speak again',
    load: async () => (await threads()).unmute,
  },
  {
    name: 'thread export',
    args: ['<thread>'],
    what: 'print every entry as one line of JSON, with its author’s name',
    examples: ['arbe thread export thr_… > thread.jsonl'],
    load: async () => (await threadFile()).exportThread,
  },
  {
    name: 'thread import',
    args: ['<thread>', '<file>'],
    what: 'add messages that were said elsewhere: they wake nobody; - reads stdin',
    examples: [
      'arbe thread import thr_… thread.jsonl',
      'slack-to-jsonl | arbe thread import thr_… -',
    ],
    load: async () => (await threadFile()).importThread,
  },
  {
    name: 'house set',
    what: 'change the house; what is not named stays, and nothing named shows how it stands',
    options: [
      { name: 'name', value: 'name', what: 'its new name' },
      {
        name: 'director-model',
        value: 'name',
        what: 'provider/model that chooses speakers; empty: the default model',
      },
    ],
    examples: ['arbe house set --director-model anthropic/claude-haiku-4-5'],
    load: async () => (await import('./commands/house.ts')).set,
  },
  {
    name: 'env ls',
    what: 'list the environments that threads can run commands in',
    load: async () => (await environments()).list,
  },
  {
    name: 'env add',
    args: ['<name>'],
    what: 'make an environment and start it',
    options: [{ name: 'provider', value: 'name', what: 'what it runs on (local)' }, network],
    examples: ['arbe env add workshop', 'arbe env add online --network open'],
    load: async () => (await environments()).add,
  },
  {
    name: 'env edit',
    args: ['<environment>'],
    what: 'change an environment, by name or id; what is not named stays',
    options: [
      { name: 'name', value: 'name', what: 'its new name' },
      network,
      {
        name: 'var',
        value: 'NAME=VALUE',
        what: 'a variable for its commands; no place for secrets',
      },
      { name: 'unset', value: 'NAME', what: 'a variable that it is to lose' },
    ],
    examples: ['arbe env edit workshop --var NODE_ENV=test'],
    load: async () => (await environments()).edit,
  },
  {
    name: 'env start',
    args: ['<environment>'],
    what: 'see to it that an environment has a box to run commands in',
    load: async () => (await environments()).start,
  },
  {
    name: 'env rm',
    args: ['<environment>'],
    what: 'remove an environment, its box and all that is in it',
    load: async () => (await environments()).remove,
  },
  {
    name: 'env bind',
    args: ['<thread>', '<environment>'],
    what: 'let the bots of a thread run commands there; none takes it away',
    examples: ['arbe env bind thr_… workshop', 'arbe env bind thr_… none'],
    load: async () => (await environments()).bind,
  },
  {
    name: 'bot ls',
    what: 'list the house’s bots',
    load: async () => (await bots()).list,
  },
  {
    name: 'bot add',
    args: ['<name>'],
    what: 'make a bot',
    options: botOptions,
    examples: ['arbe bot add Cleo --mode mention --prompt "You plan releases."'],
    load: async () => (await bots()).add,
  },
  {
    name: 'bot edit',
    args: ['<bot>'],
    what: 'change a bot, by handle or id; what is not named stays',
    options: [{ name: 'name', value: 'name', what: 'its new name' }, ...botOptions],
    examples: ['arbe bot edit @cleo --mode house --voice "Short sentences."'],
    load: async () => (await bots()).edit,
  },
  {
    name: 'bot test',
    args: ['<thread>', '[text]'],
    what: 'who would speak if this were said, and why; nothing is said',
    options: [
      { name: 'paid', what: 'where no rule answers, ask the model, which costs money' },
      replyTo,
      { name: 'bot', value: 'bot', what: 'try this bot out with other settings, unsaved' },
      { name: 'as-mode', value: 'mode', what: 'when it would speak', choices: modes },
      { name: 'as-handle', value: 'handle', what: 'how it would be named after an @' },
      { name: 'as-description', value: 'text', what: 'what it would be good at' },
    ],
    examples: [
      'arbe bot test thr_… "who knows the release date?"',
      'arbe bot test thr_… "thanks" --bot ada --as-mode always',
    ],
    load: async () => (await import('./commands/bot-test.ts')).test,
  },
  {
    name: 'director replay',
    args: ['<thread>'],
    what: 'decide again what was decided, without speaking, and print what differs',
    options: [
      { name: 'last', value: 'number', what: 'how many of the last decisions (50; 200 at most)' },
      { name: 'model', value: 'name', what: 'ask this model where no rule answers: costs money' },
    ],
    examples: [
      'arbe director replay thr_…',
      'arbe director replay thr_… --model anthropic/claude-haiku-4-5 --last 20',
    ],
    load: async () => (await import('./commands/director-replay.ts')).replay,
  },
  {
    name: 'cost',
    args: ['[thread]'],
    what: 'what model calls have cost, of the house or of one thread; the last 30 days by day',
    options: [
      {
        name: 'by',
        value: 'what',
        what: 'day, thread, bot or model',
        choices: COST_BY,
      },
      { name: 'since', value: 'time', what: 'how far back: 12h, 7d' },
    ],
    examples: ['arbe cost --by bot --since 7d', 'arbe cost thr_…'],
    load: async () => (await import('./commands/cost.ts')).cost,
  },
  {
    name: 'backup',
    args: ['<file>'],
    what: 'write the whole house, as it is now, into a new file; it may go on meanwhile; for the owner',
    examples: ['arbe backup house-$(date +%F).arbe'],
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    args: ['<file>'],
    what: 'fill an empty data folder, or the empty Postgres of DATABASE_URL, with a backup',
    options: [{ name: 'data', value: 'folder', what: 'where it is to be (ARBE_DATA, ~/.arbe)' }],
    examples: [
      'arbe restore house.arbe --data ./house',
      'DATABASE_URL=postgres://… arbe restore house.arbe',
    ],
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  {
    name: 'doctor',
    what: 'say what works here and what is weak; changes nothing',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
]
