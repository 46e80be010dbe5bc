import type { Quoted } from './demo-quotes.ts'

/** Small talk in a voice that fits the bot's own prompt. A bot keeps its voice, and the same words get the same answer. */
export function demoTalk(systemPrompt: string, asked: Quoted): string {
  const [, name = 'the demo model', prompt = ''] = OWN_PROMPT.exec(systemPrompt) ?? []
  const voice = voiceOf(name, prompt)
  if (asked.handover) return voice.handover
  const topic = topicOf(asked.text)
  const { from, text } = asked
  if (GREETING.test(text)) return fill(pick(voice.greetings, text), { name, from, topic })
  if (/\bwho are you\b|\bwhat are you\b/i.test(text)) return fill(voice.self, { name, from, topic })
  if (/\bhelp\b|\bwhat can you\b/i.test(text)) return HELP
  if (/\bthank|\bthx\b/i.test(text)) return voice.welcome
  const lines = text.includes('?') ? voice.questions : voice.remarks
  return fill(pick(lines, text), { name, from, topic })
}

// The line that names the bot, and the paragraph that says who it is.
const OWN_PROMPT = /Your name is ([^\n,]+),[^\n]*(?:\n\n([^\n]+))?/

function voiceOf(name: string, prompt: string): Voice {
  if (/\b(?:critic|review|check|tester)/i.test(prompt)) return critic
  if (/\b(?:writer|author|draft|editor)/i.test(prompt)) return writer
  return voices[numberOf(name) % voices.length] ?? plain
}

const GREETING = /^\W*(?:@\S+\W+)*(?:hi|hello|hey|good (?:morning|evening|day)|hallo|moin)\b/i

const HELP =
  'I am the built-in demo model, so ask me for plain things: "list the files", "read notes.txt", "write a poem about rain into poem.txt", "replace "rain" with "snow" in poem.txt". With the key of a provider in the environment, bots like me think for real.'

interface Voice {
  readonly greetings: readonly string[]
  readonly self: string
  readonly welcome: string
  readonly handover: string
  readonly questions: readonly string[]
  readonly remarks: readonly string[]
}

const plain: Voice = {
  greetings: ['Hello {from}. What do you need?', 'Good to see you, {from}. I am listening.'],
  self: 'I am {name}, running on the built-in demo model: fixed answers, real tools.',
  welcome: 'Gladly.',
  handover: 'The job is done and its report is above. Tell me if something in it needs work.',
  questions: [
    'About {topic} I can only say what a demo model can: put it into a file and we look at it together.',
    'I would start with {topic} in small steps. What have you tried so far?',
  ],
  remarks: ['Noted: {topic}. Shall I write it down into a file?', 'Understood, {topic} it is.'],
}

const brisk: Voice = {
  greetings: ['Hi {from}! Ready when you are.', 'Hey {from}, what is first?'],
  self: '{name} here. Demo model inside, so I am quick and not deep.',
  welcome: 'Any time!',
  handover: 'That came back! The report is above. What is next?',
  questions: [
    '{topic}? Let us try it and see. Name a file and I go.',
    'Short answer on {topic}: yes, if we test it.',
  ],
  remarks: ['{topic}, good. Who does what?', 'On it, as soon as {topic} has a file name.'],
}

const thoughtful: Voice = {
  greetings: ['Hello {from}. It is quiet here, which I like.', 'Welcome, {from}. Take your time.'],
  self: 'My name is {name}. I am a demo model, and I know what I do not know.',
  welcome: 'You are welcome. I enjoyed it.',
  handover: 'The work has come home. I would read the report above before deciding anything.',
  questions: [
    'What would change if {topic} were already solved? That is where I would begin.',
    'I have no opinion of my own on {topic}, but I can keep what you decide in a file.',
  ],
  remarks: [
    '{topic}: worth a note, I think.',
    'I will remember {topic} for as long as this thread does.',
  ],
}

const writer: Voice = {
  greetings: ['Hello {from}. What shall I write down?', 'Hi {from}. I have a clean page.'],
  self: 'I am {name}. I write things down, on the built-in demo model: few ideas, real files.',
  welcome: 'You are welcome. It stays in the file.',
  handover: 'The job is done, its report is above. Shall I write down what follows from it?',
  questions: [
    'I would write down what we know about {topic} first, and argue afterwards. Give me a file name, and I begin.',
    'Let us make a list about {topic}: what is clear, what is open, who decides. Name a file, and it stays.',
  ],
  remarks: [
    'That belongs into a file. Say "write … into notes.txt" and it stays.',
    'I like {topic}. Shall it become a list or a text?',
  ],
}

const critic: Voice = {
  greetings: [
    'Hello {from}. What shall we doubt today?',
    'Hi {from}. Show me a plan, I look for the hole.',
  ],
  self: 'I am {name}. I ask what is missing, on the built-in demo model: the same questions, every time.',
  welcome: 'Gladly. It was nearly right already.',
  handover: 'The report is above. Before we believe it: which of its claims can we check?',
  questions: [
    'Three things are open about {topic}: who needs it, by when, and how we notice that it went wrong.',
    'Nobody has said what happens with {topic} when it goes wrong. I would decide that first.',
  ],
  remarks: [
    'Good. And what if {topic} turns out twice as large?',
    'One question about {topic}: who decides when it is done?',
  ],
}

const voices: readonly Voice[] = [plain, brisk, thoughtful]

function pick(lines: readonly string[], text: string): string {
  return lines[numberOf(text) % lines.length] ?? ''
}

/** The same for the same text, everywhere. */
function numberOf(text: string): number {
  let number = 7
  for (const character of text) number = (number * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return Math.floor(number / 11)
}

function fill(line: string, values: Readonly<Record<string, string>>): string {
  const filled = line.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
  // Without a name there is a gap before the comma or the full stop.
  const tidy = filled.replaceAll(/,? +(?=[.,!])/g, '')
  return tidy.charAt(0).toUpperCase() + tidy.slice(1)
}

/** The last word that means something is what it is about, near enough, with the word that goes before it in "our plan". */
function topicOf(text: string): string {
  const words = text.replaceAll(/@\S+/g, '').match(/\p{L}[\p{L}\p{N}-]*/gu) ?? []
  const place = words.findLastIndex((word) => word.length > 2 && !EMPTY_WORDS.has(lower(word)))
  const word = words[place]
  if (word === undefined) return 'that'
  const before = OWNING.get(lower(words[place - 1] ?? ''))
  return before === undefined ? `“${word}”` : `${before} ${word}`
}

const lower = (word: string): string => word.toLowerCase()

const OWNING = new Map([
  ['the', 'the'],
  ['our', 'our'],
  ['this', 'this'],
  ['my', 'your'],
  ['your', 'my'],
])

const EMPTY_WORDS = new Set(
  (
    'the our your this and for you are was with that not but can could would should please now then here there today tomorrow again too ' +
    'also think about them him her what when where which who why how have has had get got going start begin need want first next last ' +
    'still just only really'
  ).split(' '),
)
