import type { Quoted } from './demo-quotes.ts'

/** Small talk in one of three voices. A bot keeps its voice, and the same words get the same answer. */
export function demoTalk(systemPrompt: string, asked: Quoted): string {
  const name = /Your name is ([^\n,]+),/.exec(systemPrompt)?.[1] ?? 'the demo model'
  const voice = voices[numberOf(name) % voices.length] ?? plain
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

/** The longest word is what it is about, near enough. */
function topicOf(text: string): string {
  const words = text.replaceAll(/@\S+/g, '').match(/\p{L}[\p{L}\p{N}-]{3,}/gu) ?? ['that']
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest))
}
