import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FeedEvent } from './api.ts'
import { FeedRefused, type FeedStatus, followFeed } from './live-feed.ts'

type Open = Parameters<typeof followFeed>[0]['open']

const encoder = new TextEncoder()

/** Entry n of a log, as an event: only that it comes once and in order matters here. */
const event = (n: number): FeedEvent => ({
  type: 'typing',
  threadId: 'thr_ü👍',
  person: `usr_${n}`,
})
const frame = (n: number): string => `id: ${n}\ndata: ${JSON.stringify(event(n))}\n\n`

function body(chunks: readonly Uint8Array<ArrayBuffer>[], end: 'close' | 'break') {
  let next = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = chunks[next++]
      if (chunk !== undefined) controller.enqueue(chunk)
      else if (end === 'close') controller.close()
      else controller.error(new TypeError('terminated'))
    },
  })
}

const stream = (text: string, end: 'close' | 'break' = 'close'): Response =>
  new Response(body([encoder.encode(text)], end))

interface Followed {
  readonly events: readonly FeedEvent[]
  readonly statuses: readonly FeedStatus[]
  readonly positions: readonly string[]
  readonly pauses: readonly number[]
}

/** Follows until so many events came; each pause ends at once. */
async function follow(open: Open, count: number, lastEventId?: string): Promise<Followed> {
  const control = new AbortController()
  const [events, statuses, positions, pauses]: [FeedEvent[], FeedStatus[], string[], number[]] = [
    [],
    [],
    [],
    [],
  ]
  const feed = followFeed({
    open,
    signal: control.signal,
    lastEventId,
    onStatus: (status) => void statuses.push(status),
    onPosition: (position) => void positions.push(position),
    pause: async (ms) => void pauses.push(ms),
  })
  for await (const one of feed) {
    events.push(one)
    if (events.length === count) break
  }
  return { events, statuses, positions, pauses }
}

test('it begins from now, and comes back behind the last event it gave out', async () => {
  const asked: (string | undefined)[] = []
  const answers = [
    stream('id: 7\ndata:\n\n'),
    stream(frame(8), 'break'),
    new Response(null, { status: 503 }),
    stream(`: beat\n\n${frame(9)}`),
  ]
  const open: Open = async (headers) => {
    asked.push(headers['last-event-id'])
    expect(headers['accept']).toBe('text/event-stream')
    return answers.shift() ?? stream('')
  }
  const { events, statuses, positions } = await follow(open, 2)
  expect(events).toEqual([event(8), event(9)])
  expect(asked).toEqual([undefined, '7', '8', '8'])
  expect(positions).toEqual(['7', '8', '9'])
  expect(statuses).toEqual([
    'connecting',
    'live',
    'waiting',
    'connecting',
    'live',
    'waiting',
    'connecting',
    'waiting',
    'connecting',
    'live',
  ])
})

test('no entry is lost or doubled, wherever connections are cut and however bytes are parted', async () => {
  const log = fc.integer({ min: 1, max: 12 })
  const cut = fc.record({
    after: fc.nat(900),
    parts: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }),
    end: fc.constantFrom('close' as const, 'break' as const),
  })
  await fc.assert(
    fc.asyncProperty(log, fc.array(cut, { maxLength: 10 }), async (length, cuts) => {
      const left = [...cuts]
      const open: Open = async (headers) => {
        const from = Number(headers['last-event-id'] ?? 0)
        const frames = Array.from({ length: length - from }, (_, index) => frame(from + index + 1))
        const bytes = encoder.encode(`id: ${from}\ndata:\n\n${frames.join('')}`)
        const { after, parts, end } = left.shift() ?? {
          after: bytes.length,
          parts: [],
          end: 'close',
        }
        return new Response(body(parted(bytes.slice(0, after), parts), end))
      }
      const { events } = await follow(open, length)
      expect(events).toEqual(Array.from({ length }, (_, index) => event(index + 1)))
    }),
    { numRuns: 300 },
  )
})

function parted(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let rest = bytes
  for (const size of sizes) {
    chunks.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return [...chunks, rest].filter(({ length }) => length > 0)
}

test.each([400, 401, 403, 404])('%i is a refusal that no new connection mends', async (status) => {
  let asked = 0
  const open: Open = async () => {
    asked += 1
    return new Response(null, { status })
  }
  await expect(follow(open, 1)).rejects.toEqual(new FeedRefused(status))
  expect(asked).toBe(1)
})

test.each([408, 429, 500, 503])('after %i it comes back', async (status) => {
  const answers = [new Response(null, { status }), stream(frame(1))]
  const { events } = await follow(async () => answers.shift() ?? stream(''), 1)
  expect(events).toEqual([event(1)])
})

test('pauses grow with each failure to ten seconds, and begin anew after a message', async () => {
  const refusing = Array.from({ length: 8 }, () => async () => {
    throw new TypeError('fetch failed')
  })
  const answers = [
    ...refusing,
    async () => stream('id: 1\ndata:\n\n'),
    async () => stream(frame(2)),
  ]
  const { pauses } = await follow(async () => await (answers.shift()?.() ?? stream('')), 1)
  const longest = [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 500]
  expect(pauses.length).toBe(longest.length)
  const ofLongest = pauses.map((ms, index) => ms / (longest[index] ?? 0))
  expect(ofLongest.filter((part) => part < 0.5 || part > 1)).toEqual([])
})

test('it ends with its signal, and lets its connection go', async () => {
  const control = new AbortController()
  const signals: AbortSignal[] = []
  const open: Open = async (_headers, signal) => {
    signals.push(signal)
    return hanging(frame(1), signal)
  }
  const events: FeedEvent[] = []
  for await (const one of followFeed({ open, signal: control.signal })) {
    events.push(one)
    queueMicrotask(() => control.abort())
  }
  expect([events, signals.map(({ aborted }) => aborted)]).toEqual([[event(1)], [true]])
})

test('a reader that has enough lets its connection go', async () => {
  const signals: AbortSignal[] = []
  const open: Open = async (_headers, signal) => {
    signals.push(signal)
    return hanging(frame(1), signal)
  }
  await follow(open, 1)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

/** As fetch does it: what is under way breaks when its signal aborts. */
function hanging(text: string, signal: AbortSignal): Response {
  const { readable, writable } = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >()
  const writer = writable.getWriter()
  writer.write(encoder.encode(text)).catch(() => undefined)
  signal.addEventListener('abort', () => void writer.abort(signal.reason))
  return new Response(readable)
}

test('a pause ends with the signal too', async () => {
  const control = new AbortController()
  const open: Open = async () => {
    setImmediate(() => control.abort())
    throw new TypeError('fetch failed')
  }
  for await (const one of followFeed({ open, signal: control.signal })) expect.unreachable(one.type)
  expect(control.signal.aborted).toBe(true)
})

describe('a silent connection', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    })

  test('is given up after 45 s without a beat, and not while beats come', async () => {
    const { readable, writable } = new TransformStream<
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>
    >()
    const writer = writable.getWriter()
    const answers: Open[] = [
      async (_headers, signal) => {
        signal.addEventListener('abort', () => void writer.abort(signal.reason))
        return new Response(readable)
      },
      async () => stream(frame(1)),
    ]
    let asked = 0
    const open: Open = async (...call) => {
      asked += 1
      return await (answers.shift() ?? (async () => stream('')))(...call)
    }
    const following = follow(open, 1)
    for (let beat = 0; beat < 4; beat += 1) {
      await vi.advanceTimersByTimeAsync(40_000)
      await writer.write(encoder.encode(': beat\n\n'))
    }
    await vi.advanceTimersByTimeAsync(44_000)
    expect(asked).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect((await following).events).toEqual([event(1)])
    expect(asked).toBe(2)
  })

  test('is given up also when it never began', async () => {
    const answers: Open[] = [
      (_headers, signal) => untilAborted(signal),
      async () => stream(frame(1)),
    ]
    const open: Open = (...call) => (answers.shift() ?? (async () => stream('')))(...call)
    const following = follow(open, 1)
    await vi.advanceTimersByTimeAsync(46_000)
    expect((await following).events).toEqual([event(1)])
  })
})
