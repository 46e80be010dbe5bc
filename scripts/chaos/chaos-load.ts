import type { AppendInput } from '@arbe/sdk/api'
import type { ArbeClient } from '@arbe/sdk/client'
import { setTimeout } from 'node:timers/promises'
import type { SeededRandom } from '../../test/support/seeded-random.ts'
import { markOf } from './chaos-provider.ts'
import { insist, TwoPlaces } from './insist.ts'

/** What the API said it has stored, and where. */
export interface Ack {
  readonly threadId: string
  readonly person: number
  readonly key: string
  readonly seq: number
  readonly input: AppendInput
}

export interface ChaosThread {
  readonly id: string
  readonly number: number
}

export interface ChaosLoad {
  readonly acks: readonly Ack[]
  /** Requests that were sent again because no answer, or none of use, had come. */
  readonly retries: number
  /** Answers that no fault explains. */
  readonly refusals: readonly string[]
  /** People do what people do until the signal aborts, and then wait for what they have begun. */
  run(signal: AbortSignal): Promise<void>
}

export interface LoadParts {
  readonly people: readonly (readonly ArbeClient[])[]
  readonly threads: readonly ChaosThread[]
  readonly bots: readonly { readonly id: string; readonly handle: string }[]
  readonly random: SeededRandom
}

const LANES = 6

export function chaosLoad(parts: LoadParts): ChaosLoad {
  const acks: Ack[] = []
  const refusals: string[] = []
  const gone = new Set<string>()
  let retries = 0
  let keys = 0

  async function act(random: SeededRandom, thread: ChaosThread): Promise<void> {
    const person = random.between(0, parts.people.length - 1)
    const own = acks.filter((ack) => ack.threadId === thread.id && ack.person === person)
    const texts = own.filter(({ input, key }) => input.kind === 'chat' && !gone.has(key))
    const key = `key-${(keys += 1)}`
    const input = draw(random, { thread, key, bots: parts.bots, texts })
    if (input.kind === 'chat.delete')
      for (const one of texts) if (one.seq === input.target) gone.add(one.key)
    try {
      const order = { threadId: thread.id, input, key }
      const clients = parts.people[person] ?? []
      const again = (): void => void (retries += 1)
      const seq = await insist(random, () => sendOnce(clients, random, order), again)
      acks.push({ threadId: thread.id, person, key, seq, input })
    } catch (error) {
      refusals.push(`I5: ${JSON.stringify(input)} was answered with ${String(error)}`)
    }
  }

  return {
    acks,
    refusals,
    get retries() {
      return retries
    },
    async run(signal) {
      const lanes = Array.from({ length: LANES }, async (_, lane) => {
        const random = parts.random.fork(`${keys}-${lane}`)
        while (!signal.aborted) {
          const thread = random.pick(parts.threads)
          // Now and then two at the same time, or as good as.
          const second = random.chance(0.2)
            ? setTimeout(random.between(0, 40)).then(() => act(random, thread))
            : undefined
          await Promise.all([act(random, thread), second])
          await setTimeout(random.between(10, 150), undefined, { signal }).catch(() => undefined)
        }
      })
      await Promise.all(lanes)
    },
  }
}

interface Order {
  readonly threadId: string
  readonly input: AppendInput
  readonly key: string
}

/** Every third goes to two servers at once, under the same key. */
async function sendOnce(
  clients: readonly ArbeClient[],
  random: SeededRandom,
  { threadId, input, key }: Order,
): Promise<number> {
  const to = random.chance(1 / 3) ? clients : [random.pick(clients)]
  const answers = await Promise.all(to.map((client) => client.threads.append(threadId, input, key)))
  const [seq = 0, ...others] = new Set(answers.map((answer) => answer.seq))
  if (others.length > 0) throw new TwoPlaces(`${key} stands at ${[seq, ...others].join(' and ')}`)
  return seq
}

interface Scene {
  readonly thread: ChaosThread
  readonly key: string
  readonly bots: LoadParts['bots']
  /** Messages of this person that are still there. */
  readonly texts: readonly Ack[]
}

function draw(random: SeededRandom, { thread, key, bots, texts }: Scene): AppendInput {
  const bot = random.pick(bots)
  const text = `${sentence(random, bot.handle)} ${markOf(thread.number)} ${key}`
  const what = random.next()
  if (what < 0.08) return { kind: 'thread.ask', bot: bot.id }
  if (what < 0.13) return { kind: 'thread.continue' }
  if (what < 0.18) return { kind: 'thread.stop' }
  if (what < 0.26 && texts.length > 0) {
    const { seq } = random.pick(texts)
    return random.chance(0.5)
      ? { kind: 'chat.edit', target: seq, text }
      : { kind: 'chat.delete', target: seq }
  }
  if (what < 0.32 && texts.length > 0)
    return { kind: 'chat', text, replyTo: random.pick(texts).seq }
  return { kind: 'chat', text }
}

function sentence(random: SeededRandom, handle: string): string {
  return random.pick([
    'What do you all make of this?',
    'So it goes.',
    `@${handle} what do you say?`,
    `@${handle} put it into a file`,
    '@ada and @bo, please',
    '@everyone look here',
    '@ben did you see it?',
  ])
}
