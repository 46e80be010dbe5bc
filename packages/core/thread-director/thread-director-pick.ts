import type { ActorId } from '@arbe/sdk'
import { z } from 'zod'
import { textOf, type ToolCallBlock, toolCallsOf } from '../models/assistant-message.ts'
import type { AssistantMessage } from '../models/model.ts'
import { DECIDE, NOBODY } from './thread-director-prompt.ts'

export type Pick =
  | {
      readonly status: 'picked'
      readonly speaker: ActorId | null
      readonly reason: string
      /** Read out of text instead of taken from the tool's call. */
      readonly salvaged: boolean
    }
  /** Said so that a person understands it; follows "the model answered, but". */
  | { readonly status: 'problem'; readonly problem: string }

/** What may be named in an answer: the ids of the call, and every bot of the thread, candidate or not. */
export interface Nameable {
  readonly idOf: ReadonlyMap<string, ActorId | null>
  readonly bots: readonly { readonly id: ActorId; readonly name: string; readonly handle: string }[]
}

/** Never guesses: an answer that is not exactly one candidate is a problem. */
export function readDecisionAnswer(message: AssistantMessage, nameable: Nameable): Pick {
  const calls = toolCallsOf(message)
  if (calls.length > 0) return onePick(calls.map((call) => readCall(call, nameable)))
  const text = textOf(message)
  if (text === '' && message.stopReason === 'length') {
    return problem('it ran out of room before it chose')
  }
  return readText(text, nameable)
}

function onePick(picks: readonly Pick[]): Pick {
  const speakers = new Set(picks.map((pick) => (pick.status === 'picked' ? pick.speaker : pick)))
  const [first] = picks
  if (first === undefined) return problem('it answered nothing')
  if (speakers.size === 1) return first
  return picks.find(({ status }) => status === 'problem') ?? problem('it chose more than one')
}

function readCall(call: ToolCallBlock, nameable: Nameable): Pick {
  if (call.name !== DECIDE) return problem(`it called ${JSON.stringify(call.name)}`)
  const choice = ChoiceSchema.safeParse(call.arguments)
  return choice.success ? readChoice(choice.data, nameable) : problem('it named nobody it chose')
}

const ChoiceSchema = z.object({ pick: z.string(), reason: z.string().catch('') })

/** An id counts before a name: a bot may be called like one. */
function readChoice(choice: z.infer<typeof ChoiceSchema>, nameable: Nameable): Pick {
  const speaker = nameable.idOf.get(choice.pick.trim())
  const { reason } = choice
  if (speaker !== undefined) return { status: 'picked', speaker, reason, salvaged: false }
  const pick = readWords(plain(choice.pick), nameable)
  return pick.status === 'picked' ? { ...pick, reason } : pick
}

function readText(text: string, nameable: Nameable): Pick {
  const said = withoutThinking(text.replaceAll(ANSI, ''))
  if (said === undefined) return problem('it never stopped thinking')
  const json = parseJson(said.replaceAll(/```(?:json)?/gu, ''))
  if (json === undefined) return readWords(plain(said), nameable)
  const choice = ChoiceSchema.safeParse(json)
  if (!choice.success) return problem('it named no candidate')
  const pick = readChoice(choice.data, nameable)
  return pick.status === 'picked' ? { ...pick, salvaged: true } : pick
}

function readWords(words: string, nameable: Nameable): Pick {
  if (words === '') return problem('it answered nothing')
  if (words.length > MOST_WORDS_CHARS) return problem('it talked instead of choosing')
  const named = namedIn(words, nameable)
  if (named.size > 1) return problem('it named more than one')
  const [speaker] = named
  const candidate = [...nameable.idOf.values()].find((one) => one === speaker)
  if (candidate === undefined) return problem('it named no candidate')
  return { status: 'picked', speaker: candidate, reason: '', salvaged: true }
}

// A choice with a word or two around it; anything longer argues, and may name a bot only to rule it out.
const MOST_WORDS_CHARS = 80

type Named = ActorId | null | 'unknown'

/** Whoever is meant by a whole word of the text. The longest name wins: `ann-lee` does not name `ann`. */
function namedIn(words: string, nameable: Nameable): ReadonlySet<Named> {
  const meanings = new Map<string, Set<ActorId | null>>()
  const add = (name: string, id: ActorId | null): void => {
    const key = fold(name)
    meanings.set(key, (meanings.get(key) ?? new Set()).add(id))
  }
  for (const [id, speaker] of nameable.idOf) add(id, speaker)
  for (const bot of nameable.bots) [bot.name, bot.handle].forEach((name) => add(name, bot.id))
  meanings.delete('')
  const longestFirst = [...meanings.keys()].toSorted((a, b) => b.length - a.length).map(escaped)
  const anyName = new RegExp(
    String.raw`(?<![\p{L}\p{N}_-])(?:${[...longestFirst, String.raw`c\d+`, NOBODY].join('|')})(?![\p{L}\p{N}_-])`,
    'gu',
  )
  const found = [...fold(words).matchAll(anyName)].flatMap<Named>(([name]) => [
    ...(meanings.get(name) ?? ['unknown' as const]),
  ])
  return new Set(found)
}

function fold(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
}

// oxlint-disable-next-line no-control-regex -- the escape character is what is looked for
const ANSI = /\u001B\[[0-9;?]*[A-Za-z]/gu

/** Undefined when it never ends. Some servers drop the opening tag. */
function withoutThinking(text: string): string | undefined {
  const rest = text
    .replaceAll(/<(think|thinking|reasoning)>.*?<\/\1>/gisu, '')
    .replace(/.*<\/(?:think|thinking|reasoning)>/isu, '')
  return /<(?:think|thinking|reasoning)>/iu.test(rest) ? undefined : rest
}

/** Words without markup and without a label before them. */
function plain(text: string): string {
  return text
    .replaceAll(ANSI, '')
    .replaceAll(/\\(?=[_*`~-])/gu, '')
    .replaceAll(/[*`~#>"]/gu, '')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(
      /^\s*(?:next speaker|speaker|role|pick|next|answer|name|choice|decision)\s*[:=]\s*/iu,
      '',
    )
    .trim()
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function problem(text: string): Pick {
  return { status: 'problem', problem: text }
}
