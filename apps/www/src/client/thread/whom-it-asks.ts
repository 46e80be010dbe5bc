import type { Thread, ThreadBot } from '@arbe/sdk'
import { mentionSpans } from '@arbe/sdk/mentions'

/** In one sentence what a message will do when it is sent, as far as its names tell; empty when they tell nothing. */
export function whomItAsks(text: string, thread: Thread): string {
  const { bots, people } = thread
  const spans = mentionSpans(text, [...bots, ...people])
  const unknown = spans.filter((span) => span.kind === 'unknown')
  const named = new Set(spans.flatMap((span) => (span.kind === 'member' ? [span.id] : [])))
  const isEveryone = spans.some(({ kind }) => kind === 'everyone')
  const asked = bots.filter(({ id }) => isEveryone || named.has(id))
  const order = isEveryone ? asked : inOrder(asked, named)
  const renamed = renamedIn(text, thread)
  const strangers = unknown.filter(({ start }) => !renamed.has(start)).map(({ name }) => name)
  return [
    ...sayAsked(order),
    ...saySilent(asked),
    ...new Set(unknown.flatMap(({ start }) => renamed.get(start) ?? [])),
    ...sayStrangers([...new Set(strangers)]),
  ].join(' ')
}

function inOrder(bots: readonly ThreadBot[], named: ReadonlySet<string>): readonly ThreadBot[] {
  return [...named].flatMap((id) => bots.filter((bot) => bot.id === id))
}

const canAnswer = ({ muted, mode }: ThreadBot): boolean => !muted && mode !== 'never'

function sayAsked(bots: readonly ThreadBot[]): readonly string[] {
  const names = bots.filter(canAnswer).map(({ name }) => name)
  return names.length === 0 ? [] : [`Asks ${names.join(', then ')}.`]
}

function saySilent(bots: readonly ThreadBot[]): readonly string[] {
  return bots
    .filter((bot) => !canAnswer(bot))
    .map(({ name, muted }) => `${name} ${muted ? 'is muted' : 'is set never to speak'}.`)
}

/** Where a former handle stands, and what its owner is called now: it asks nobody. */
function renamedIn(text: string, { bots, people, formerHandles }: Thread): Map<number, string> {
  const handles = new Map([...bots, ...people].map(({ id, handle }) => [id, handle]))
  const renamed = new Map<number, string>()
  for (const span of mentionSpans(text, formerHandles)) {
    const now = span.kind === 'member' ? handles.get(span.id) : undefined
    if (now !== undefined)
      renamed.set(span.start, `${text.slice(span.start, span.end)} is now @${now}.`)
  }
  return renamed
}

function sayStrangers(names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const said = names.map((name) => `@${name}`).join(', ')
  return [`${said} ${names.length === 1 ? 'is' : 'are'} not in this thread.`]
}
