import { z } from 'zod'
import type { DemoReply } from './demo-reply.ts'
import type { ModelRequest } from './model.ts'

/** Chooses by the words that a candidate's introduction shares with what is new; chatter is for nobody. */
export function demoDecision(request: ModelRequest): DemoReply {
  const lines = request.messages.flatMap((message) =>
    message.role === 'user' ? jsonLines(message.content) : [],
  )
  const candidates = lines.flatMap((line) => CandidateSchema.safeParse(line).data ?? [])
  const texts = newTexts(request)
  const wanted = wordsIn(texts)
  const [best] = candidates
    .map((candidate) => ({ candidate, shared: sharedWords(candidate, wanted) }))
    .toSorted(
      (a, b) =>
        b.shared.length - a.shared.length || a.candidate.name.localeCompare(b.candidate.name),
    )
  const nobody = canBeNobody(request)
  const chatter = best === undefined || (best.shared.length === 0 && !/\?/.test(texts))
  if (best === undefined || (chatter && nobody)) return decide('nobody', 'nothing in it asks a bot')
  const { id, name } = best.candidate
  const [stem] = best.shared
  if (stem === undefined) return decide(id, 'a question to the room, and somebody has to begin')
  const word = texts.match(/\p{L}{3,}/gu)?.find((one) => stemOf(one) === stem) ?? stem
  return decide(id, `“${word.toLowerCase()}” is what ${name} is here for`)
}

const CandidateSchema = z.object({
  id: z.string(),
  name: z.string(),
  handle: z.string().default(''),
  does: z.string().default(''),
  tools: z.string().default(''),
})
type Candidate = z.infer<typeof CandidateSchema>

const TextSchema = z.object({ text: z.string() })

function decide(pick: string, reason: string): DemoReply {
  return { text: '', calls: [{ name: 'decide', args: { pick, reason } }] }
}

function canBeNobody({ tools }: ModelRequest): boolean {
  return JSON.stringify(tools).includes('"nobody"')
}

/** What stands behind the last heading is what is to be decided about. */
function newTexts({ messages }: ModelRequest): string {
  const content = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const last = typeof content === 'string' ? (content.split(/\n\n(?=New)/).at(-1) ?? '') : ''
  return jsonLines(last)
    .flatMap((line) => TextSchema.safeParse(line).data?.text ?? [])
    .join(' ')
}

function jsonLines(content: string): readonly unknown[] {
  return content.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}

function sharedWords(candidate: Candidate, wanted: ReadonlySet<string>): readonly string[] {
  const { name, handle, does, tools } = candidate
  return [...wordsIn(`${name} ${handle} ${does} ${tools}`)].filter((word) => wanted.has(word))
}

/** Stems of a kind: "tests", "tested" and "test" are one word. */
function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  const stems = words.map(stemOf)
  return new Set(stems.filter((_, index) => !COMMON.has(words[index] ?? '')))
}

const stemOf = (word: string): string => word.toLowerCase().replace(/ies$/, 'y').slice(0, 5)

const COMMON = new Set(
  'the and for you are was were with that this have has not but can could would please what when where who how why does did she his her our your their from into about there here they them will just like some any all one two get got let its thanks thank hello okay'.split(
    ' ',
  ),
)
