import {
  NO_USAGE,
  type ActorId,
  type AuthorKind,
  bodySchemas,
  type BotRequest,
  type DecisionBody,
  type Entry,
  type EntryKind,
  type Offset,
  type OutcomeBody,
  toActorId,
  toOffset,
  toThreadId,
  type TriggerMode,
  type Via,
} from '@arbe/sdk'
import { closingOf } from '../../packages/core/thread-director/thread-director-closing.ts'
import {
  type Answer,
  draftDecision,
} from '../../packages/core/thread-director/thread-director-draft.ts'
import { isQuiet } from '../../packages/core/thread-director/thread-director-eligibility.ts'
import {
  type DirectorView,
  requestsUpTo,
  viewOf,
} from '../../packages/core/thread-director/thread-director-entry-view.ts'
import type {
  Capture,
  DecisionDraft,
  RosterBot,
  ThreadSettings,
} from '../../packages/core/thread-director/thread-director-port.ts'
import {
  decide,
  type PaidQuestion,
} from '../../packages/core/thread-director/thread-director-rules.ts'
import {
  isPaused,
  pausedAnswer,
} from '../../packages/core/thread-director/thread-director-pause.ts'
import { botsAt } from '../../packages/core/thread-director/thread-director-memory-capture.ts'
import { planStop } from '../../packages/core/thread-director/thread-director-stop.ts'
import type { TurnResult } from '../../packages/core/threads/turn.ts'

export const agent = (handle: string): ActorId => toActorId(`agt_${handle}`)
export const person = (handle: string): ActorId => toActorId(`usr_${handle}`)

export function bot(handle: string, over: Partial<RosterBot> = {}): RosterBot {
  return {
    id: agent(handle),
    name: handle,
    handle,
    description: `does the work of ${handle}`,
    mode: 'auto',
    muted: false,
    mutedUntil: null,
    mutedAt: 0,
    external: false,
    model: '',
    tools: [],
    ...over,
  }
}

export interface Saying {
  readonly mentions?: readonly ActorId[]
  readonly everyone?: boolean
  readonly replyTo?: Offset
  readonly hops?: number
  readonly wakes?: boolean
  readonly via?: Via
}

/** What a bot does with its turn: a status, a text to post, or more. Runs while the turn does, so others may post meanwhile. */
export type Turn = (speaker: string, decision: DecisionBody) => string | Partial<TurnResult>

export interface Script {
  readonly turn?: Turn
  /** A model's choice: a bot's handle, nobody, or none at all. */
  readonly pick?: (question: PaidQuestion, view: DirectorView) => string | null | Failure
}

/** What the model did instead of choosing. */
export type Failure = { readonly rule: 'no_answer' | 'unavailable' }

export interface TraceOptions {
  readonly bots: readonly RosterBot[]
  readonly people?: readonly string[]
  readonly settings?: Partial<ThreadSettings>
}

/** A thread in memory that follows the store's contract, so that a whole trace of decisions is a table. */
export function directorTrace(options: TraceOptions) {
  const entries: Entry[] = []
  let bots = options.bots
  let settings: ThreadSettings = {
    title: '',
    banter: false,
    limitPerBot: 3,
    limitPerThread: 8,
    hops: 0,
    directorModel: null,
    ...options.settings,
  }
  let now = Date.UTC(2026, 0, 1)
  let decidedOffset = toOffset(0)
  let lastDecision: DecisionBody | undefined
  let lastOutcome: OutcomeBody | undefined
  const decisions: DecisionBody[] = []
  const outcomes: OutcomeBody[] = []
  const captures: Capture[] = []
  const people = (options.people ?? ['mia']).map((handle) => ({
    id: person(handle),
    name: handle,
    handle,
  }))

  function append(
    kind: EntryKind,
    author: { readonly id: ActorId; readonly kind: AuthorKind },
    rest: { readonly body: unknown; readonly wakes: boolean; readonly hops?: number },
  ): Offset {
    const seq = toOffset(entries.length + 1)
    const entry = {
      threadId: toThreadId('thr_1'),
      seq,
      key: `test:${seq}`,
      authorId: author.id,
      authorKind: author.kind,
      wakes: rest.wakes,
      readable: true,
      causedBy: null,
      hops: rest.hops ?? 0,
      createdAt: new Date(now).toISOString(),
      kind,
      body: bodySchemas[kind].parse(rest.body),
    }
    // A kind and its body are paired by the schema above, which the union's type cannot follow.
    entries.push(entry as Entry)
    return seq
  }

  const byPerson = (handle: string) => ({ id: person(handle), kind: 'person' as const })
  const byBot = (handle: string) => ({ id: agent(handle), kind: 'bot' as const })

  /** `@handle` of a bot and `@@handle` of a person stand for what the parser finds. */
  function mentionsIn(text: string): ActorId[] {
    return [...text.matchAll(/(@{1,2})([a-z-]+)/gu)].flatMap(([, at, handle = '']) =>
      handle === 'everyone' ? [] : [at === '@@' ? person(handle) : agent(handle)],
    )
  }

  function chat(author: ReturnType<typeof byBot> | ReturnType<typeof byPerson>) {
    return (text: string, { wakes = true, hops = 0, ...saying }: Saying = {}): Offset =>
      append('chat', author, {
        wakes,
        hops,
        body: {
          text,
          mentions: mentionsIn(text),
          everyone: text.includes('@everyone'),
          ...saying,
        },
      })
  }

  const trace = {
    entries,
    decisions,
    outcomes,
    /** What each decision was made from. */
    captures,
    say: (handle: string, text: string, saying?: Saying) => chat(byPerson(handle))(text, saying),
    botSays: (handle: string, text: string, saying?: Saying) => chat(byBot(handle))(text, saying),
    hookSays: (text: string, saying: Saying = {}) =>
      append(
        'chat',
        { id: toActorId('hook_ci'), kind: 'webhook' },
        {
          wakes: true,
          hops: saying.hops ?? 0,
          body: { text, mentions: mentionsIn(text) },
        },
      ),
    handover: (handle: string, text = 'report') =>
      append(
        'chat',
        { id: agent('system'), kind: 'system' },
        {
          wakes: true,
          body: {
            text,
            mentions: [agent(handle)],
            handover: { childThreadId: 'thr_child', status: 'completed' },
          },
        },
      ),
    edit(handle: string, target: Offset, text: string) {
      const mentions = mentionsIn(text)
      const everyone = text.includes('@everyone')
      const before = entries.findLast(
        (entry) =>
          (entry.kind === 'chat' && entry.seq === target) ||
          (entry.kind === 'chat.edit' && entry.body.target === target),
      )
      const known =
        before?.kind === 'chat' || before?.kind === 'chat.edit' ? before.body.mentions : []
      const added = everyone
        ? bots.map(({ id }) => id)
        : mentions.filter((id) => !known.includes(id))
      return append('chat.edit', byPerson(handle), {
        wakes: added.length > 0,
        body: { target, text, mentions, everyone, added },
      })
    },
    remove: (handle: string, target: Offset) =>
      append('chat.delete', byPerson(handle), { wakes: false, body: { target } }),
    ask: (handle: string, whom: string) =>
      append('thread.ask', byPerson(handle), { wakes: true, body: { bot: agent(whom) } }),
    goOn: (handle: string) =>
      append('thread.continue', byPerson(handle), { wakes: true, body: {} }),
    append,
    later(ms: number) {
      now += ms
    },
    set(handle: string, over: Partial<RosterBot>) {
      bots = bots.map((one) => (one.handle === handle ? { ...one, ...over } : one))
    },
    /** As the thread's page does it; without a time it lasts until it is ended. */
    mute(handle: string, ms?: number) {
      const mutedUntil = ms === undefined ? null : new Date(now + ms).toISOString()
      trace.set(handle, { muted: true, mutedUntil, mutedAt: entries.length })
    },
    unmute: (handle: string) => trace.set(handle, { muted: false, mutedUntil: null }),
    mode: (handle: string, mode: TriggerMode) => trace.set(handle, { mode }),
    leave(handle: string) {
      bots = bots.filter((one) => one.handle !== handle)
    },
    /** Back again, or for the first time. */
    join(handle: string, mode: TriggerMode) {
      if (!bots.some((one) => one.handle === handle)) bots = [...bots, bot(handle, { mode })]
    },
    configure(over: Partial<ThreadSettings>) {
      settings = { ...settings, ...over }
    },

    capture(tailLength = 200): Capture {
      const seen = toOffset(entries.length)
      const unread = entries.filter((entry) => entry.wakes && entry.seq > decidedOffset)
      const replied = new Set(
        unread.flatMap((entry) => (entry.kind === 'chat' ? [entry.body.replyTo] : [])),
      )
      const tail = entries.filter(
        (entry) =>
          entry.seq > seen - tailLength || entry.seq > decidedOffset || replied.has(entry.seq),
      )
      return {
        rev: 1,
        rosterVersion: '1',
        decidedOffset,
        d: decisions.length + 1,
        seen,
        now,
        thread: settings,
        people,
        bots: botsAt(bots, now),
        lastDecision,
        lastOutcome,
        unread: unread.slice(0, 100),
        more: unread.length > 100,
        tail,
      }
    },
    view: () => viewOf(trace.capture()),

    store(draft: DecisionDraft): DecisionBody {
      captures.push(trace.capture())
      const decision: DecisionBody = { ...draft, d: decisions.length + 1, fence: 1 }
      decisions.push(decision)
      lastDecision = decision
      lastOutcome = undefined
      if (decision.speaker === null) decidedOffset = decision.to
      return decision
    },
    close(decision: DecisionBody, result: TurnResult): OutcomeBody {
      const { closes, reply, voided } = closingOf(decision, result, (text) => ({
        mentions: mentionsIn(text),
        names: [],
      }))
      const speaker = decision.speaker?.replace('agt_', '') ?? ''
      if (reply !== undefined) {
        const { text, hops, named } = reply
        append('chat', byBot(speaker), {
          wakes: true,
          hops,
          body: { text, mentions: [...named.mentions] },
        })
      }
      const { text: _, assistant: __, ...figures } = result
      const outcome: OutcomeBody = { ...figures, d: decision.d, closes, voided: [...voided] }
      outcomes.push(outcome)
      lastOutcome = outcome
      if (closes) decidedOffset = decision.to
      return outcome
    },

    /** Somebody presses Stop while no turn runs. */
    stop() {
      const seqOf = (entry: Entry | undefined) => entry?.seq ?? toOffset(0)
      const to = seqOf(entries.findLast(({ wakes }) => wakes))
      const plan = planStop({
        requests: requestsUpTo(trace.capture(), to),
        decidedOffset,
        head: toOffset(entries.length),
        wakeHead: to,
        held: true,
        lastDecision,
        lastOutcome,
        lastWord: seqOf(
          entries.findLast(
            ({ authorKind, wakes, seq }) => authorKind === 'person' && wakes && seq > decidedOffset,
          ),
        ),
      })
      if (plan.kind === 'nobody') trace.store(plan.draft)
    },

    /** One decision and, with a speaker, its turn; undefined when there is nothing to decide. */
    pass(script: Script = {}): DecisionBody | undefined {
      const view = trace.view()
      if (isQuiet(view)) return undefined
      const answer = decide(view)
      const decision = trace.store(draftDecision(view, answered(answer, view, script), 0))
      if (decision.speaker === null) return decision
      const speaker = decision.speaker.replace('agt_', '')
      trace.close(decision, resultOf((script.turn ?? (() => 'ok.'))(speaker, decision)))
      return decision
    },

    /** Passes until the thread rests, as `speaker: rule` or `nobody: rule` a decision. */
    rest(script: Script = {}): readonly string[] {
      const lines: string[] = []
      for (let passes = 0; passes < 200; passes += 1) {
        const decision = trace.pass(script)
        if (decision === undefined) return lines
        lines.push(lineOf(decision))
      }
      throw new Error(`no rest after 200 passes: ${lines.slice(-6).join(', ')}`)
    },
    /** What is owed now, as `bot@entry`. */
    owed: () => trace.view().requests.map(({ bot: id, entry }) => `${id.slice(4)}@${entry}`),
    get decidedOffset() {
      return decidedOffset
    },
  }
  return trace
}

function lineOf({ speaker, kind, rule, owedAfter }: DecisionBody): string {
  if (kind === 'undecided') return `undecided: ${rule}`
  const why = [kind === 'paid' ? 'paid' : rule, ...(owedAfter ? [`after ${owedAfter}`] : [])]
  return `${speaker?.slice(4) ?? 'nobody'}: ${why.join(' ')}`
}

export function resultOf(turn: string | Partial<TurnResult>): TurnResult {
  const given = typeof turn === 'string' ? { text: turn } : turn
  return { status: 'replied', rounds: 1, usage: NO_USAGE, cost: 0, ms: 0, ...given }
}

export const requestOf = (handle: string, entry: number, over: Partial<BotRequest> = {}) => ({
  bot: agent(handle),
  entry: toOffset(entry),
  by: 'mention' as const,
  person: true,
  hops: 0,
  ...over,
})

function answered(answer: ReturnType<typeof decide>, view: DirectorView, script: Script): Answer {
  if (answer.kind === 'free') return answer
  const model = view.thread.directorModel ?? 'test/test'
  if (isPaused(view, model)) return pausedAnswer(answer, model)
  const pick = script.pick?.(answer, view) ?? null
  const called = {
    question: answer,
    reason: 'scripted',
    model,
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    cost: 0.001,
  }
  if (typeof pick === 'object' && pick !== null) return { kind: 'undecided', ...called, ...pick }
  const speaker = pick === null ? null : agent(pick)
  return { kind: 'paid', ...called, speaker, salvaged: false }
}
