import { NO_USAGE } from '@arbe/sdk'
import type {
  AssistantBlock,
  Model,
  ModelReply,
  ModelRequest,
} from '../../packages/core/models/model.ts'
import type { Chance } from './chance.ts'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

/** What a seed's models are like, as shares of their answers. */
export interface ModelHabits {
  readonly calls: number
  readonly passes: number
  readonly fails: number
  readonly hangs: number
  readonly mentions: number
}

export interface ScriptParts {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly habits: ModelHabits
  readonly handles: readonly string[]
  /** Makes words that stand nowhere else. */
  readonly newWords: () => string
}

/** One life's way to a provider that answers as chance has it; `onCall` is told when a request goes out. */
export function scriptedModel(
  life: Life,
  parts: ScriptParts,
  onCall: (request: ModelRequest) => { end(): void },
): Model {
  const { timeline, chance, habits } = parts

  return {
    id: 'sim/sim',
    demo: false,
    price: NO_USAGE,
    contextWindow: 100_000,
    async call(request, { signal, onText }) {
      // As with the real ones, nothing goes out then.
      if (signal.aborted) return { status: 'aborted', partial: '', ...FREE }
      const working = onCall(request)
      const answer = chance.is(habits.hangs) ? undefined : answerTo(request, parts)
      const ms = chance.is(0.1) ? chance.between(3_000, 15_000) : chance.between(1, 1_500)
      const { promise, resolve } = Promise.withResolvers<ModelReply>()
      const abort = (): void => resolve({ status: 'aborted', partial: 'I', ...FREE })
      signal.addEventListener('abort', abort, { once: true })
      const callOff =
        answer === undefined
          ? undefined
          : timeline.in(ms, { what: 'model', owner: life, run: () => resolve(answer) })
      onText?.('I')
      const reply = await promise
      callOff?.()
      working.end()
      return reply
    },
  }
}

const FREE = { usage: NO_USAGE, cost: 0 }

function answerTo(request: ModelRequest, parts: ScriptParts): ModelReply {
  const { chance, habits } = parts
  if (chance.is(habits.fails)) return failure(chance)
  return request.forceTool === undefined ? speak(request, parts) : choose(request, chance)
}

function failure(chance: Chance): ModelReply {
  const retryable = chance.is(0.8)
  return { status: 'failed', error: 'busy', retryable, partial: '', ...FREE }
}

function choose(request: ModelRequest, chance: Chance): ModelReply {
  const ids = idsIn(request)
  if (chance.is(0.08)) return says(chance.pick(['I would rather not', ids[0] ?? '', 'c9', '']))
  return calls([['decide', { pick: chance.oneOf(ids), reason: 'it fits' }]])
}

function speak(request: ModelRequest, parts: ScriptParts): ModelReply {
  const { chance, habits, handles, newWords } = parts
  const id = newWords()
  if (request.tools.length > 0 && chance.is(habits.passes)) return calls([['pass', {}]])
  if (request.tools.length > 0 && chance.is(habits.calls)) {
    const names = Array.from({ length: chance.between(1, 3) }, () =>
      chance.pick(['look', 'look', 'note', 'note', 'send', 'nothing']),
    )
    return calls(names.map((name, at) => [name, { id: `${id}.${at}` }]))
  }
  if (chance.is(0.04)) return says('')
  const named = chance.is(habits.mentions) ? `@${chance.oneOf(handles)} ` : ''
  return says(`${named}${id}`)
}

function idsIn({ tools }: ModelRequest): readonly string[] {
  const [tool] = tools
  const text = JSON.stringify(tool?.parameters)
  return JSON.parse(/"enum":(\[[^\]]*\])/.exec(text)?.[1] ?? '[]')
}

function calls(made: readonly (readonly [name: string, args: object])[]): ModelReply {
  return ok(
    made.map(([name, args], at) => ({
      type: 'toolCall',
      id: `call_${at}`,
      name,
      arguments: { ...args },
    })),
    'toolUse',
  )
}

function says(text: string): ModelReply {
  return ok(text === '' ? [] : [{ type: 'text', text }], 'stop')
}

function ok(content: readonly AssistantBlock[], stopReason: 'stop' | 'toolUse'): ModelReply {
  const message = { role: 'assistant', content, stopReason, timestamp: 0 } as const
  return { status: 'ok', message, ...FREE }
}
