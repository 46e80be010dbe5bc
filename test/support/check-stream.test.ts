import { type Entry, NO_USAGE, toActorId, toOffset } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { checkStream } from './check-stream.ts'
import { decisionBody } from './decision-body.ts'
import { storyteller } from './entries.ts'

const ADA = 'agt_ada'

type Story = ReturnType<typeof storyteller>

interface Decided {
  readonly d: number
  readonly from: number
  readonly to: number
  readonly speaker: string | null
  readonly seen?: number
  readonly fence?: number
}

function decide(story: Story, { d, from, to, speaker, seen = to, fence = 7 }: Decided): Entry {
  return story.add('signal.thread_director.decision', 'director', {
    ...decisionBody(),
    d,
    from,
    to,
    seen,
    fence,
    speaker,
  })
}

function saysIn(
  story: Story,
  { d, round }: { readonly d: number; readonly round: number },
  content: Readonly<Record<string, unknown>>[],
): Entry {
  const message = { role: 'assistant', content, stopReason: 'stop', timestamp: 5 } as const
  return story.add('pi.assistant', ADA, { decision: d, round, message, ms: 1 }, { causedBy: d })
}

const reads = {
  type: 'toolCall',
  id: 'c1',
  name: 'read_file',
  arguments: { path: 'notes.txt' },
}

/** 1 mia asks ada, 2 who is chosen, 3 reads a file, 4 its text, 5 answers, 6 aloud, 7 and is done; 8 nobody answers her. */
function goodStream(): readonly Entry[] {
  const story = storyteller()
  return [
    story.add('chat', 'mia', { text: '@ada what is in it?', mentions: [ADA] }),
    decide(story, { d: 1, from: 0, to: 1, speaker: ADA }),
    saysIn(story, { d: 1, round: 0 }, [reads]),
    story.add(
      'pi.tool_result',
      ADA,
      {
        decision: 1,
        round: 0,
        index: 0,
        callId: 'c1',
        tool: 'read_file',
        text: 'one',
        isError: false,
        ms: 1,
      },
      { causedBy: 1 },
    ),
    saysIn(story, { d: 1, round: 1 }, [{ type: 'text', text: 'one' }]),
    story.add('chat', ADA, { text: 'one', assistant: 5 }, { causedBy: 1 }),
    story.add('signal.thread_director.outcome', 'director', {
      d: 1,
      closes: true,
      status: 'replied',
      reply: 6,
      rounds: 2,
      usage: NO_USAGE,
      cost: 0,
      ms: 1,
    }),
    decide(story, { d: 2, from: 1, to: 6, seen: 7, speaker: null, fence: 7 }),
  ]
}

const check = (entries: readonly Entry[]) => checkStream(entries, { quiet: true })

test('a stream that keeps every promise has nothing to find', () => {
  const acknowledged = [{ seq: 1, text: '@ada what is in it?' }]
  expect(checkStream(goodStream(), { quiet: true, acknowledged })).toEqual([])
})

test('a thread whose turn still runs is fine until it claims to be at rest', () => {
  const running = goodStream().slice(0, 4)
  expect(checkStream(running, { quiet: false })).toEqual([])
  expect(check(running)).toEqual([
    'I1: 1 wakes and nothing past 0 is decided',
    'I1: what 1 asks of agt_ada was never served, voided or listed',
    'I3: decision 1 has 0 outcomes and should have 1',
  ])
})

interface Plant {
  readonly breaks: string
  readonly stream: (good: readonly Entry[]) => readonly Entry[]
  readonly found: readonly string[]
}

const plants: readonly Plant[] = [
  {
    breaks: 'an offset that is left out',
    stream: (good) => [...good.slice(0, -1), at(good, 8, { seq: 9 })],
    found: ['I6: entry 8 in order has the offset 9'],
  },
  {
    breaks: 'a range that begins behind the last one',
    stream: (good) => replaced(good, at(good, 8, { from: 3 })),
    found: ['I1: decision 2 begins at 3, not at 1'],
  },
  {
    breaks: 'a range that is decided twice',
    stream: (good) => replaced(good, at(good, 8, { from: 0 })),
    found: ['I1: decision 2 begins at 0, not at 1'],
  },
  {
    breaks: 'a decision that covers what it has not seen',
    stream: (good) => replaced(good, at(good, 8, { seen: 5 })),
    found: ['I1: decision 2 at 8 covers (1, 6] and saw 5'],
  },
  {
    breaks: 'a decision that saw what came after it',
    stream: (good) => replaced(good, at(good, 2, { seen: 4 })),
    found: ['I1: decision 1 at 2 covers (0, 1] and saw 4'],
  },
  {
    breaks: 'a message that nobody decides',
    stream: (good) => good.slice(0, -1),
    found: ['I1: 6 wakes and nothing past 1 is decided'],
  },
  {
    breaks: 'a mention that is forgotten',
    stream: (good) => replaced(good, at(good, 1, { mentions: [toActorId('agt_bo')] })),
    found: ['I1: what 1 asks of agt_bo was never served, voided or listed'],
  },
  {
    breaks: 'a turn without an end',
    stream: (good) => [...good.slice(0, 5), nobodyAt(6)],
    found: [
      'I1: decision 2 begins at 1, not at 0',
      'I1: what 1 asks of agt_ada was never served, voided or listed',
      'I3: decision 1 has 0 outcomes and should have 1',
      'I3: decision 2 was made while turn 1 ran',
    ],
  },
  {
    breaks: 'a turn that ends twice',
    stream: (good) => [...good.slice(0, -1), at(good, 7, { seq: 8 }), nobodyAt(9)],
    found: ['I3: decision 1 has 2 outcomes and should have 1'],
  },
  {
    breaks: 'a turn that replies twice',
    stream: (good) => [
      ...good.slice(0, 6),
      at(good, 6, { seq: 7 }),
      at(good, 7, { seq: 8 }),
      nobodyAt(9, 7),
    ],
    found: ['I3: decision 1 has 2 replies'],
  },
  {
    breaks: 'an outcome that names another reply',
    stream: (good) => replaced(good, at(good, 7, { reply: 4 })),
    found: ['I3: the outcome of 1 names the reply 4'],
  },
  {
    breaks: 'a turn that failed and replied all the same',
    stream: (good) => replaced(good, at(good, 7, { status: 'failed' })),
    found: ['I3: turn 1 is failed and has 1 replies'],
  },
  {
    breaks: 'a reply that the model did not give last',
    stream: (good) => replaced(good, at(good, 6, { assistant: 3 })),
    found: ['I3: the reply of 1 is not what its last round says'],
  },
  {
    breaks: 'an outcome of nothing',
    stream: (good) => [...good, at(good, 7, { seq: 9, d: 5 })],
    found: ['I3: 9 is the outcome of 5, which was never decided'],
  },
  {
    breaks: 'a round of a worker that was too late',
    stream: (good) => [...good, at(good, 5, { seq: 9, round: 2 })],
    found: [
      'I3: the reply of 1 is not what its last round says',
      'I4: entry 9 is no part of turn 1',
    ],
  },
  {
    breaks: 'a round by a bot that was not chosen',
    stream: (good) => replaced(good, { ...at(good, 5), authorId: toActorId('agt_bo') }),
    found: ['I4: entry 5 is no part of turn 1'],
  },
  {
    breaks: 'a round that belongs to one turn and says another',
    stream: (good) => replaced(good, at(good, 5, { decision: 2 })),
    found: ['I4: entry 5 is no part of turn 1'],
  },
  {
    breaks: 'a decision under a fence that had been replaced',
    stream: (good) => replaced(good, at(good, 8, { fence: 6 })),
    found: ['I4: decision 2 has the fence 6 after 7'],
  },
  {
    breaks: 'a tool result that is produced twice',
    stream: (good) => moved(good, at(good, 4, { seq: 5 })),
    found: ['I8: 1:0:0 was stored twice'],
  },
  {
    breaks: 'a round that is stored twice',
    stream: (good) => replaced(good, at(good, 5, { round: 0 })),
    found: ['I8: 1:0 was stored twice'],
  },
  {
    breaks: 'a tool that ran before its call was on record',
    stream: (good) => {
      const [asked, decided, round, result, ...rest] = good
      if (asked === undefined || decided === undefined) return []
      if (round === undefined || result === undefined) return []
      const swapped = [
        { ...result, seq: toOffset(3) },
        { ...round, seq: toOffset(4) },
      ]
      return [asked, decided, ...swapped, ...rest]
    },
    found: ['I8: nothing called for the result 3'],
  },
  {
    breaks: 'the result of another tool',
    stream: (good) => replaced(good, at(good, 4, { tool: 'write_file' })),
    found: ['I8: nothing called for the result 4'],
  },
  {
    breaks: 'a model that went on without an answer to its call',
    stream: (good) => replaced(good, at(good, 4, { round: 1 })),
    found: ['I8: nothing called for the result 4', 'I8: round 1 of 1 began with 1 calls open'],
  },
  {
    breaks: 'a signal that wakes',
    stream: (good) => replaced(good, { ...at(good, 2), wakes: true }),
    found: ['I10: the signal 2 can be heard'],
  },
  {
    breaks: 'a handover that a person wrote',
    stream: (good) =>
      replaced(
        good,
        at(good, 1, { handover: { childThreadId: 'thr_2', status: 'completed' as const } }),
      ),
    found: ['I10: mia wrote the handover 1'],
  },
  {
    breaks: 'a decision whose number leaves one out',
    stream: (good) => replaced(good, at(good, 8, { d: 3 })),
    found: ['I11: decision 2 in order has the number 3'],
  },
]

test.each(plants)('the checker finds $breaks', ({ stream, found }) => {
  expect(check(stream(goodStream()))).toEqual(found)
})

test('the checker finds an acknowledged message that is gone or has other words', () => {
  const acknowledged = [
    { seq: 1, text: 'something else' },
    { seq: 12, text: 'gone' },
  ]
  expect(checkStream(goodStream(), { quiet: true, acknowledged })).toEqual([
    'I5: the acknowledged "something else" is not at 1',
    'I5: the acknowledged "gone" is not at 12',
  ])
})

test('a bot that is asked may be told off with a reason, wait its turn, or be silenced by a Stop', () => {
  const [asked] = goodStream()
  if (asked === undefined) return
  const story = storyteller()
  story.add('chat', 'mia', { text: 'placed before' })
  const nobody = decide(story, { d: 1, from: 0, to: 1, speaker: null })
  if (nobody.kind !== 'signal.thread_director.decision') return
  const one = { bot: toActorId(ADA), entry: toOffset(1) }
  const voided = {
    ...nobody,
    body: { ...nobody.body, voided: [{ ...one, why: 'muted' as const }] },
  }
  const request = { ...one, by: 'mention' as const, person: true, hops: 0 }
  const waiting = { ...nobody, body: { ...nobody.body, requests: [request] } }
  const stopped = { ...nobody, body: { ...nobody.body, rule: 'stopped' as const } }
  const silent = { ...nobody, body: { ...nobody.body, rule: 'bot_spoke' as const } }
  const found = [voided, waiting, stopped, silent].map((decision) => check([asked, decision]))
  const forgotten = 'I1: what 1 asks of agt_ada was never served, voided or listed'
  expect(found).toEqual([[], [], [], [forgotten]])
})

test('[I1] what is taken back, or asked where modes decide who hears it, need not show', () => {
  const story = storyteller()
  const asked = story.add('chat', 'mia', { text: '@ada', mentions: [ADA] })
  const nobody = decide(story, { d: 1, from: 0, to: 1, speaker: null })
  const forgotten = 'I1: what 1 asks of agt_ada was never served, voided or listed'
  const entries = [asked, nobody]
  expect(checkStream(entries, { quiet: true })).toEqual([forgotten])
  expect(checkStream(entries, { quiet: true, asksAreHeard: false })).toEqual([])
  const taken = [
    story.add('chat.delete', 'mia', { target: 1 }),
    story.add('chat.edit', 'mia', { target: 1, text: 'never mind', added: [] }),
  ]
  const found = taken.map((entry) =>
    checkStream([...entries, { ...entry, seq: toOffset(3) }], { quiet: true }),
  )
  expect(found).toEqual([[], []])
})

/** The entry at an offset with some of its body, or its offset, changed. */
function at(
  entries: readonly Entry[],
  seq: number,
  { seq: moved = seq, ...body }: { readonly seq?: number } & Readonly<Record<string, unknown>> = {},
): Entry {
  const entry = entries[seq - 1]
  if (entry === undefined) throw new Error(`no entry ${seq}`)
  return { ...entry, seq: toOffset(moved), body: { ...entry.body, ...body } } as Entry
}

function replaced(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  return entries.map((one) => (one.seq === entry.seq ? entry : one))
}

/** One more entry at its offset; what stands there and behind it moves on, and so do the offsets that it names. */
function moved(entries: readonly Entry[], added: Entry): readonly Entry[] {
  const behind = entries
    .filter(({ seq }) => seq >= added.seq)
    .map((entry) => at(entries, entry.seq, { seq: entry.seq + 1, ...movedBody(entry, added.seq) }))
  return [...entries.filter(({ seq }) => seq < added.seq), added, ...behind]
}

function movedBody({ body }: Entry, from: number): Readonly<Record<string, unknown>> {
  const names = ['assistant', 'reply', 'to', 'seen']
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name, value]) => names.includes(name) && Number(value) >= from)
      .map(([name, value]) => [name, Number(value) + 1]),
  )
}

function nobodyAt(seq: number, to = seq === 6 ? 5 : 6): Entry {
  const story = storyteller()
  for (let n = 1; n < seq; n += 1) story.add('chat', 'mia', { text: 'placed before' })
  return decide(story, { d: 2, from: 1, to, seen: seq - 1, speaker: null })
}
