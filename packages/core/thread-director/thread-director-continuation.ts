import type { ActorId } from '@arbe/sdk'
import { unavailable } from './thread-director-eligibility.ts'
import type { DirectorView, Said } from './thread-director-entry-view.ts'

/** The bot that one person talks with: the person spoke, it answered, and the person goes on without naming anybody. */
export function partnerOf(view: DirectorView): ActorId | undefined {
  const [next] = view.texts
  const [before, answer] = view.context.filter(isInTalk).slice(-2)
  if (next === undefined || before === undefined || answer === undefined) return undefined
  const isOnePerson = view.texts.every((said) => isPlainWordOf(next, said))
  const isExchange =
    isOnePerson && isSamePerson(before, next) && answer.authorKind === 'bot' && before.wakes
  if (!isExchange || !answer.wakes || next.at - answer.at > LONGEST_PAUSE_MS) return undefined
  const { author } = answer
  const canSpeak = unavailable(view, author) === undefined && !view.passers.includes(author)
  return canSpeak ? author : undefined
}

const LONGEST_PAUSE_MS = 10 * 60_000

/** A bridge writes for many under one author. */
function isSamePerson(one: Said, other: Said): boolean {
  return one.author === other.author && one.via?.name === other.via?.name
}

function isPlainWordOf(next: Said, said: Said): boolean {
  return (
    said.authorKind === 'person' &&
    isSamePerson(said, next) &&
    said.mentions.length === 0 &&
    !said.everyone &&
    !said.isReply
  )
}

// What the house or a webhook posts in between is no part of a talk.
function isInTalk({ authorKind }: Said): boolean {
  return authorKind === 'person' || authorKind === 'bot'
}
