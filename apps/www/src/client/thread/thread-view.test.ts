import type { Entry } from '@arbe/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { threadStory } from '../../../../../test/support/thread-story.ts'
import { type EntryLog, extend, join } from '../house/entry-log.ts'
import { viewThread } from './thread-view.ts'

test('a turn is one item: what it said with its tools, the tools, and its reply', () => {
  const story = threadStory()
  story.say('mia', '@ada write')
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.round(0, { text: 'Writing.', tools: ['write_file'] })
  story.result(0, 0, { text: 'File written' })
  story.reply('agt_ada', 'Done.')
  story.end({ status: 'replied' })
  const turn = viewThread(story.entries).items.at(-1)
  expect(turn).toMatchObject({
    type: 'turn',
    bot: 'agt_ada',
    key: 'turn:1:1',
    parts: [
      { type: 'round', text: 'Writing.', calls: [{ tool: 'write_file', state: 'done' }] },
      { type: 'message', text: 'Done.' },
    ],
  })
})

test('a turn that somebody spoke into stands in two pieces with their own keys', () => {
  const story = threadStory()
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.round(0, { text: '', tools: ['list_files'] })
  story.say('ben', 'wait')
  story.reply('agt_ada', 'Done.')
  expect(
    viewThread(story.entries).items.flatMap((i) => (i.type === 'turn' ? [i.key] : [])),
  ).toEqual(['turn:1:1', 'turn:1:2'])
})

const states = [
  ['running', undefined, undefined],
  ['done', { isError: false }, undefined],
  ['failed', { isError: true }, undefined],
  ['unknown', { isError: true, error: 'outcome_unknown' }, undefined],
  ['cancelled', undefined, 'cancelled'],
  ['unknown', undefined, 'interrupted'],
] as const

test.each(states)('a call is %s with result %o and outcome %s', (state, result, status) => {
  const story = threadStory()
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.round(0, { text: '', tools: ['run_command'] })
  if (result !== undefined) story.result(0, 0, result)
  if (status !== undefined) story.end({ status })
  const turn = viewThread(story.entries).items.find(({ type }) => type === 'turn')
  expect(turn).toMatchObject({ parts: [{ calls: [{ state }] }] })
})

test('an edited message shows its last text, and a deleted one none', () => {
  const story = threadStory()
  const first = story.say('mia', 'helo')
  const second = story.say('mia', 'oops')
  story.add('chat.edit', 'mia', { target: first, text: 'hello', mentions: ['agt_ada'] })
  story.add('chat.delete', 'mia', { target: second })
  const { messages } = viewThread(story.entries)
  expect([...messages.values()]).toMatchObject([
    { text: 'hello', isEdited: true, isDeleted: false, named: { mentions: ['agt_ada'] } },
    { text: '', isEdited: false, isDeleted: true },
  ])
})

test('a turn without a reply says what came of it, and one that passed says nothing', () => {
  const story = threadStory()
  story.decide({ speaker: 'agt_ada', rule: 'mention' })
  story.end({ status: 'failed', error: 'the provider said no', partial: 'Half a' })
  story.decide({ speaker: 'agt_bo', rule: 'debt' })
  story.end({ status: 'passed' })
  const outcomes = viewThread(story.entries).items.filter(({ type }) => type === 'outcome')
  expect(outcomes).toMatchObject([
    { bot: 'agt_ada', outcome: { status: 'failed', error: 'the provider said no' } },
  ])
})

test('a bot waits while its request is open, and no longer once its turn has ended', () => {
  const story = threadStory()
  const seq = story.say('mia', '@ada X, @bo Y')
  const request = (bot: string) =>
    ({ bot, entry: seq, by: 'mention', person: true, hops: 0 }) as const
  story.decide({
    speaker: 'agt_ada',
    rule: 'mention',
    to: seq,
    requests: [request('agt_ada'), request('agt_bo')],
  })
  expect(viewThread(story.entries).waiting.map(({ bot }) => bot)).toEqual(['agt_ada', 'agt_bo'])
  story.end({ status: 'replied' })
  expect(viewThread(story.entries).waiting.map(({ bot }) => bot)).toEqual(['agt_bo'])
})

test('[D3] after the last outcome nobody waits', () => {
  const story = threadStory()
  const seq = story.say('mia', '@ada X')
  story.decide({
    speaker: 'agt_ada',
    rule: 'mention',
    to: seq,
    requests: [{ bot: 'agt_ada', entry: seq, by: 'mention', person: true, hops: 0 }],
  })
  story.end({ status: 'failed', voided: [] })
  expect(viewThread(story.entries).waiting).toEqual([])
})

test('what a person thought of a decision is known with it', () => {
  const story = threadStory()
  story.decide({ speaker: 'agt_ada', rule: 'always' })
  story.add('thread.feedback', 'mia', { decision: 1, verdict: 'should_have_stayed_quiet' })
  expect(viewThread(story.entries).last).toMatchObject({ wasTooMuch: true })
})

test('applying the feed to an old page gives what a fresh page gives, whatever comes twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...moves), { maxLength: 40 }),
      fc.nat(),
      fc.infiniteStream(fc.nat(2)),
      (played, cut, repeats) => {
        const story = threadStory()
        for (const move of played) move(story)
        const old = cut % (story.entries.length + 1)
        const log = follow(story.entries, old, repeats)
        expect(viewThread(log.entries)).toEqual(viewThread(story.entries))
      },
    ),
  )
})

/** A reader that holds the first `old` entries, gets each later one, some of them twice, and reads on over a gap. */
function follow(all: readonly Entry[], old: number, repeats: Iterator<number>): EntryLog {
  let log: EntryLog = { entries: all.slice(0, old), older: false }
  const missed = new Set<number>()
  for (const entry of all.slice(old)) {
    const chance: number = repeats.next().value
    if (chance === 2 && log.entries.length > 0) {
      missed.add(entry.seq)
      continue
    }
    const extended = extend(log, entry)
    log =
      extended.status === 'gap'
        ? join(log, { entries: all.filter(({ seq }) => seq > extended.after && seq <= entry.seq) })
        : extended.log
    if (chance === 1) log = again(log, entry)
  }
  return join(log, { entries: all.filter(({ seq }) => missed.has(seq)) })
}

function again(log: EntryLog, entry: Entry): EntryLog {
  const extended = extend(log, entry)
  return extended.status === 'gap' ? log : extended.log
}

const moves: readonly ((story: ReturnType<typeof threadStory>) => void)[] = [
  (story) => story.say('mia', 'hello'),
  (story) => story.say('ben', 'hello'),
  (story) => story.decide({ speaker: null, rule: 'to_people' }),
  (story) => story.decide({ speaker: null, rule: 'bot_spoke' }),
  (story) => story.decide({ speaker: null, kind: 'undecided', rule: 'no_answer' }),
  (story) => story.decide({ speaker: 'agt_ada', rule: 'mention' }),
  (story) => story.round(0, { text: 'hm', tools: ['read_file', 'write_file'] }),
  (story) => story.result(0, 0, { isError: false }),
  (story) => story.result(0, 1, { isError: true }),
  (story) => story.reply('agt_ada', 'done'),
  (story) => story.end({ status: 'replied' }),
  (story) => story.end({ status: 'interrupted', partial: 'ha' }),
  (story) => story.add('chat.edit', 'mia', { target: 1, text: 'changed' }),
  (story) => story.add('chat.delete', 'mia', { target: 2 }),
  (story) => story.add('thread.title', 'mia', { title: 'Rain' }),
  (story) => story.add('thread.mute', 'mia', { bot: 'agt_bo', muted: true }),
]
