import type { Thread, ThreadBot } from '@arbe/sdk'
import { mentionSpans } from '@arbe/sdk/mentions'

/** In one sentence what a message will do when it is sent, as far as its names tell; empty when they tell nothing. */
export function whomItAsks(text: string, { bots, people }: Thread): string {
  const spans = mentionSpans(text, [...bots, ...people])
  const unknown = spans.flatMap((span) => (span.kind === 'unknown' ? [`@${span.name}`] : []))
  const named = new Set(spans.flatMap((span) => (span.kind === 'member' ? [span.id] : [])))
  const isEveryone = spans.some(({ kind }) => kind === 'everyone')
  const asked = bots.filter(({ id }) => isEveryone || named.has(id))
  const order = isEveryone ? asked : inOrder(asked, named)
  return [...sayAsked(order), ...saySilent(asked), ...sayUnknown(unknown)].join(' ')
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

function sayUnknown(names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  return [`${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not in this thread.`]
}
