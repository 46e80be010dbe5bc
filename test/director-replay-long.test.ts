import { toOffset, type ThreadId } from '@arbe/sdk'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { systemClock } from '../packages/core/dispatch/clock.ts'
import { createBooks } from '../packages/core/models/ledger.ts'
import type { ModelRequest } from '../packages/core/models/model.ts'
import { replayDecisions } from '../packages/core/thread-director/replay-decisions.ts'
import { eachEngine } from './support/each-engine.ts'
import { calls, fakeModel } from './support/fake-model.ts'
import { lengthenThread, readTalk, type Talk } from './support/lengthen-thread.ts'
import { openTalkingHouse, type TalkingHouse } from './support/talking-house.ts'

/** So much work of bots stands between two texts that a director's sixty last ones reach back over nearly a thousand entries. */
const PLACES_AN_EXCHANGE = 32
const LENGTH = 40 * PLACES_AN_EXCHANGE

eachEngine((open) => {
  let db: Database
  let house: TalkingHouse
  let threadId: ThreadId
  let firstReply: number
  beforeAll(async () => {
    db = await open()
    house = await openTalkingHouse(db)
    const { houseId } = house
    const first = await house.newThread()
    await house.say(first, { kind: 'chat', text: 'Who knows the tides?' })
    const talk = withWork(await readTalk(db, { houseId, threadId: first }))
    threadId = await house.newThread()
    await lengthenThread(db, { houseId, threadId }, { talk, length: LENGTH })
    const reply = talk.entries.find(
      ({ authorKind, kind }) => authorKind === 'bot' && kind === 'chat',
    )
    firstReply = reply?.seq ?? 0
  })
  afterAll(() => house[Symbol.asyncDispose]())

  async function replayLast(last: number) {
    const model = fakeModel(calls(['decide', { pick: 'Ada', reason: 'fits' }]))
    const asker = {
      db,
      books: createBooks(db),
      models: { find: () => model, defaultName: model.id, names: [] },
      clock: systemClock,
      random: Math.random,
      newCallId: randomUUID,
      toolNames: async () => () => [],
    }
    const { signal } = new AbortController()
    const wish = { houseId: house.houseId, threadId, last, model: model.id, signal }
    const { decisions } = await replayDecisions(asker, wish)
    return {
      asked: model.requests,
      verdicts: decisions.map(({ verdict, stored }) => [stored.rule ?? stored.kind, verdict]),
    }
  }

  test('a model reads as much of the talk as the director’s did, however much work stands in between', async () => {
    await house.say(threadId, { kind: 'chat', text: 'And the moon?' })
    const then = house.asked.last
    const { verdicts, asked } = await replayLast(2)
    expect(verdicts).toEqual([
      ['paid', 'same'],
      ['bot_spoke', 'same'],
    ])
    expect(linesOf(then)).toHaveLength(60)
    expect(asked.map(linesOf)).toEqual([linesOf(then)])
  })

  test('a reply to what was said long before is one still', async () => {
    const replyTo = toOffset(firstReply)
    await house.say(threadId, { kind: 'chat', text: 'Say more of that.', replyTo })
    expect((await replayLast(2)).verdicts).toEqual([
      ['reply_to', 'same'],
      ['bot_spoke', 'same'],
    ])
  })
})

function withWork({ entries, decisions }: Talk): Talk {
  const work = entries.find(({ kind }) => kind.startsWith('pi.'))
  const [first] = entries
  if (work === undefined || first === undefined) throw new Error('a turn leaves its work')
  const more = Array.from({ length: PLACES_AN_EXCHANGE - entries.length }, (_, at) => ({
    ...work,
    seq: toOffset(first.seq + entries.length + at),
    key: `work:${at}`,
  }))
  return { entries: [...entries, ...more], decisions }
}

/** What of the talk a question quotes. The candidates' ids hold for one question. */
function linesOf(request: ModelRequest | undefined): readonly string[] {
  const [message] = request?.messages ?? []
  const content = message?.role === 'user' ? message.content : ''
  return content
    .split('\n')
    .filter((line) => line.includes('"text":'))
    .map((line) => line.replace(/"candidate":"c\d+",/u, ''))
}
