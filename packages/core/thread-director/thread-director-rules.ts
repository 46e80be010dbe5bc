import { type ActorId, type BotRequest, isAgentId, type Rule } from '@arbe/sdk'
import { MOST_HOPS } from '../threads/hops.ts'
import { onlyAcknowledges } from './thread-director-acknowledgement.ts'
import { partnerOf } from './thread-director-continuation.ts'
import {
  eligibleBots,
  endOf,
  exclusionOf,
  servableRequests,
  unavailable,
} from './thread-director-eligibility.ts'
import {
  type DirectorView,
  hopsOfRange,
  isWordOfPerson,
  type Said,
} from './thread-director-entry-view.ts'

export interface FreeAnswer {
  readonly kind: 'free'
  readonly rule: Rule
  readonly speaker: ActorId | null
  /** What the speaker was asked by. */
  readonly request?: BotRequest
  /** The rule that answered nobody before the oldest debt was taken up. */
  readonly owedAfter?: Rule
  /** Bots that the rule speaks about. */
  readonly about: readonly About[]
  /** US dollars for an answer of no use, after which the budget was spent. */
  readonly cost?: number
}

/** No rule answers: a model is asked. */
export interface PaidQuestion {
  readonly kind: 'paid'
  readonly candidates: readonly ActorId[]
  readonly nobodyAllowed: boolean
}

interface About {
  readonly id: ActorId
  readonly why: string
  readonly until?: string
}

type FreeRule = (view: DirectorView) => FreeAnswer | undefined

/** One speaker, nobody, or a question for a model. The first rule that answers counts; a free nobody leaves room for a debt. */
export function decide(view: DirectorView): FreeAnswer | PaidQuestion {
  // The talk has gone on since: its end is decided, and whoever was asked on the way has one turn there for all of it.
  if (view.more) return nobody('backlog')
  const answer = firstAnswer(rulesFor(view), view)
  if (answer === undefined) return questionFor(view)
  const [oldest] = servableRequests(view)
  if (answer.speaker !== null || oldest === undefined) return answer
  return { ...serve(oldest, 'owed'), owedAfter: answer.rule, about: answer.about }
}

/** What somebody asked for by name, in the order in which the rules are tried. */
const requestRules: readonly FreeRule[] = [noInput, asked, debt, namedInUnread, goOn]

/** What the unread texts themselves say about who should answer. */
const textRules: readonly FreeRule[] = [
  blocked,
  noText,
  tooFar,
  botSpoke,
  toPeople,
  namedUnavailable,
  aloneWithBot,
  acknowledgement,
  continuation,
]

/** Who is there to answer. */
const rosterRules: readonly FreeRule[] = [onlyAlways, noCandidate]

// Continue asks for an answer to what was said before it, so the unread texts have no say.
function rulesFor(view: DirectorView): readonly FreeRule[] {
  return isContinued(view)
    ? [...requestRules, ...rosterRules]
    : [...requestRules, ...textRules, ...rosterRules]
}

function firstAnswer(rules: readonly FreeRule[], view: DirectorView): FreeAnswer | undefined {
  for (const rule of rules) {
    const answer = rule(view)
    if (answer !== undefined) return answer
  }
  return undefined
}

function noInput(view: DirectorView): FreeAnswer | undefined {
  return view.covers && view.unread.length === 0 ? nobody('no_input') : undefined
}

function asked(view: DirectorView): FreeAnswer | undefined {
  const request = openedByUnread(view).find(({ by }) => by === 'asked')
  return request && serve(request, 'asked')
}

function debt(view: DirectorView): FreeAnswer | undefined {
  if (view.unread.some(isWordOfPerson)) return undefined
  const request = servableRequests(view).find(({ person }) => person)
  return request && serve(request, 'debt')
}

function namedInUnread(view: DirectorView): FreeAnswer | undefined {
  const [request] = openedByUnread(view)
  return request && serve(request, request.by)
}

function goOn(view: DirectorView): FreeAnswer | undefined {
  const [request] = servableRequests(view)
  return isContinued(view) && request !== undefined ? serve(request, 'continue') : undefined
}

/** What waits at a limit is answered by nobody else. Talk of bots beside it asks for no answer anyway. */
function blocked(view: DirectorView): FreeAnswer | undefined {
  if (textsByPeople(view).length > 0) return undefined
  const openedBy = (said: Said): readonly BotRequest[] =>
    view.requests.filter(({ entry }) => entry === said.entry)
  const asking = view.texts.filter(({ authorKind }) => authorKind !== 'bot')
  const waiting = view.texts.flatMap(openedBy).map(({ bot }) => bot)
  if (waiting.length === 0 || asking.some((said) => openedBy(said).length === 0)) return undefined
  const about = aboutAll(view, waiting)
  return nobody(about.some(({ why }) => why === 'turn_limit') ? 'turn_limit' : 'blocked', about)
}

function noText(view: DirectorView): FreeAnswer | undefined {
  return view.texts.length === 0 ? nobody('no_text') : undefined
}

/** What bots have carried this far is answered by none of them, whatever mode or banter would allow, until a person says so. */
function tooFar(view: DirectorView): FreeAnswer | undefined {
  if (textsByPeople(view).length > 0 || hopsOfRange(view) <= MOST_HOPS) return undefined
  return view.thread.banter || view.texts.some(asksForBot) ? nobody('hop_limit') : undefined
}

function asksForBot({ author, authorKind, mentions }: Said): boolean {
  return authorKind !== 'bot' || mentions.some((id) => isAgentId(id) && id !== author)
}

function botSpoke(view: DirectorView): FreeAnswer | undefined {
  if (view.thread.banter) return undefined
  return view.texts.every(({ authorKind }) => authorKind === 'bot')
    ? nobody('bot_spoke')
    : undefined
}

function toPeople(view: DirectorView): FreeAnswer | undefined {
  const texts = textsByPeople(view)
  const isToPeople = (said: Said): boolean =>
    said.mentions.some((id) => !isAgentId(id)) && addressed(view, said).length === 0
  return texts.length > 0 && texts.every(isToPeople) ? nobody('to_people') : undefined
}

function namedUnavailable(view: DirectorView): FreeAnswer | undefined {
  const named = textsByPeople(view).map((said) => addressed(view, said))
  if (named.length === 0 || named.some((bots) => bots.length === 0)) return undefined
  const about = aboutAll(view, named.flat())
  return about.length === new Set(named.flat()).size
    ? nobody('named_unavailable', about)
    : undefined
}

function aloneWithBot(view: DirectorView): FreeAnswer | undefined {
  return view.people.length === 1 && view.bots.length === 1 ? onlyAlways(view) : undefined
}

function acknowledgement(view: DirectorView): FreeAnswer | undefined {
  return onlyAcknowledges(view) ? nobody('acknowledgement') : undefined
}

function continuation(view: DirectorView): FreeAnswer | undefined {
  const speaker = partnerOf(view)
  return speaker && { kind: 'free', rule: 'continuation', speaker, about: [] }
}

function onlyAlways(view: DirectorView): FreeAnswer | undefined {
  const [first, ...others] = alwaysBots(view)
  if (first === undefined || others.length > 0) return undefined
  return { kind: 'free', rule: 'always', speaker: first, about: [] }
}

function noCandidate(view: DirectorView): FreeAnswer | undefined {
  if (eligibleBots(view).length > 0) return undefined
  if (view.bots.length === 0) return nobody('no_bots')
  const because = (why: string): ActorId[] =>
    view.bots.filter((bot) => exclusionOf(view, bot) === why).map(({ id }) => id)
  const atLimit = because('turn_limit')
  if (atLimit.length > 0) return nobody('turn_limit', aboutAll(view, atLimit))
  if (because('passed').length > 0) return nobody('passed')
  if (because('author').length > 0) return nobody('bot_spoke')
  return nobody(because('mention_only').length > 0 ? 'mention_only' : 'none_eligible')
}

function questionFor(view: DirectorView): PaidQuestion {
  const always = alwaysBots(view)
  if (always.length > 0) return { kind: 'paid', candidates: always, nobodyAllowed: false }
  const candidates = eligibleBots(view).map(({ id }) => id)
  return { kind: 'paid', candidates, nobodyAllowed: true }
}

function serve(request: BotRequest, rule: Rule): FreeAnswer {
  return { kind: 'free', rule, speaker: request.bot, request, about: [] }
}

function nobody(rule: Rule, about: readonly About[] = []): FreeAnswer {
  return { kind: 'free', rule, speaker: null, about }
}

function isContinued(view: DirectorView): boolean {
  return view.unread.some(({ kind }) => kind === 'thread.continue')
}

function openedByUnread(view: DirectorView): readonly BotRequest[] {
  return servableRequests(view).filter(({ entry }) => entry > view.from)
}

function textsByPeople(view: DirectorView): readonly Said[] {
  return view.texts.filter(({ authorKind }) => authorKind === 'person')
}

/** Bots that a text speaks to: named in it, all of them by @everyone, or the author of what it replies to. */
function addressed(view: DirectorView, said: Said): readonly ActorId[] {
  const everyone = said.everyone ? view.bots.map(({ id }) => id) : []
  const answered = said.answers === undefined ? [] : [said.answers]
  return [...said.mentions.filter(isAgentId), ...everyone, ...answered]
}

function aboutAll(view: DirectorView, bots: readonly ActorId[]): readonly About[] {
  return [...new Set(bots)].flatMap((id) => {
    const why = unavailable(view, id)
    return why === undefined ? [] : [{ id, why, ...endOf(view, id, why) }]
  })
}

function alwaysBots(view: DirectorView): readonly ActorId[] {
  return eligibleBots(view)
    .filter(({ mode }) => mode === 'always')
    .map(({ id }) => id)
}
