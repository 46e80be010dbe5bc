import type { SeededRandom } from '../../test/support/seeded-random.ts'
import {
  type ScriptedProvider,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedProvider,
} from '../../test/support/scripted-provider.ts'

/** One request as the provider saw it; times by this process's clock. */
export interface ProviderCall {
  /** The process that asked, by the path it was told to ask at. */
  readonly program: string
  /** The thread's number, by the mark that people's texts carry. */
  readonly thread: number | undefined
  readonly purpose: 'decide' | 'turn'
  readonly startedAt: number
  endedAt: number | undefined
  isWhole: boolean
}

export interface ChaosProvider extends AsyncDisposable {
  readonly port: number
  readonly calls: readonly ProviderCall[]
  /** From now on each answer is good and quick, or bad again. */
  beCalm(isCalm: boolean): void
}

/** What people's texts say, so that a request tells its thread. */
export function markOf(thread: number): string {
  return `#t${thread}`
}

/** A model that talks, uses tools, names others, passes, and fails in every way a provider fails; what it does is drawn anew for each request. */
export async function startChaosProvider(random: SeededRandom): Promise<ChaosProvider> {
  const calls: ProviderCall[] = []
  const byNumber = new Map<number, ProviderCall>()
  let isCalm = false
  const server: ScriptedProvider = await startScriptedProvider(
    (request) => {
      const call = toCall(request)
      calls.push(call)
      byNumber.set(request.number, call)
      return isCalm ? goodReply(request, random) : (badReply(random) ?? goodReply(request, random))
    },
    {
      remembers: false,
      onEnded: ({ number }, isWhole) => {
        const call = byNumber.get(number)
        byNumber.delete(number)
        if (call !== undefined) Object.assign(call, { endedAt: Date.now(), isWhole })
      },
    },
  )
  return {
    port: Number(new URL(server.anthropicBaseUrl).port),
    calls,
    beCalm: (calm) => void (isCalm = calm),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function toCall({ path, text, tools }: ScriptedRequest): ProviderCall {
  const mark = /#t(\d+)/.exec(text)?.[1]
  return {
    program: path.split('/')[1] ?? '',
    thread: mark === undefined ? undefined : Number(mark),
    purpose: tools.includes('decide') ? 'decide' : 'turn',
    startedAt: Date.now(),
    endedAt: undefined,
    isWhole: false,
  }
}

function badReply(random: SeededRandom): ScriptedReply | undefined {
  const text = 'This answer does not arrive whole, whatever it was going to say in the end.'
  const ways: readonly ScriptedReply[] = [
    { status: 429, error: 'slow down', headers: { 'retry-after': '1' } },
    { status: 500, error: 'broken' },
    { status: 529, error: 'overloaded' },
    { text, cutAfterBytes: random.between(0, 1_500) },
    { silent: true, text },
    { text: '' },
    { text, stop: 'length' },
    { toolCalls: [{ name: 'write_file', args: '{"path": "broken.txt", "content": ' }] },
    { toolCalls: [{ name: 'no_such_tool', args: {} }] },
  ]
  return random.chance(0.2) ? random.pick(ways) : undefined
}

function goodReply(request: ScriptedRequest, random: SeededRandom): ScriptedReply {
  const delayMs = random.chance(0.2) ? random.between(200, 1_500) : random.between(5, 60)
  if (request.tools.includes('decide')) {
    const pick = random.pick(['c1', 'c1', 'c2', 'nobody'])
    return { delayMs, toolCalls: [{ name: 'decide', args: { pick, reason: 'in turn' } }] }
  }
  return { delayMs, ...turnReply(request, random) }
}

function turnReply({ number, tools, body }: ScriptedRequest, random: SeededRandom): ScriptedReply {
  const hasResults = JSON.stringify(body['messages']).includes('"role":"tool"')
  if (tools.length > 0 && random.chance(hasResults ? 0.2 : 0.45)) {
    const calls = Array.from({ length: random.between(1, 2) }, (_, index) => ({
      id: `call_${number}_${index}`,
      ...toolCall(`${number}-${index}`, random),
    }))
    return { toolCalls: calls }
  }
  if (random.chance(0.25)) return { text: `${random.pick(NAMES)} what about ${number}?` }
  return { text: `It is ${number}, and that is how I see it.` }
}

const NAMES = ['@ada', '@bo', '@bot3', '@mia'] as const

/** Each file is written by one call alone, so that its versions tell how often that call took effect. */
function toolCall(id: string, random: SeededRandom) {
  return random.pick([
    { name: 'write_file', args: { path: `note-${id}.txt`, content: `note ${id}` } },
    { name: 'write_file', args: { path: `note-${id}.txt`, content: `note ${id}` } },
    { name: 'list_files', args: {} },
    { name: 'list_bots', args: {} },
    { name: 'pass', args: { reason: 'nothing to add' } },
  ])
}
