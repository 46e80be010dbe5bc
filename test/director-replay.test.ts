import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../packages/core/db/executor.ts'
import { systemClock } from '../packages/core/dispatch/clock.ts'
import { createBooks } from '../packages/core/models/ledger.ts'
import { replayDecisions } from '../packages/core/thread-director/replay-decisions.ts'
import { decide } from '../packages/core/thread-director/thread-director-rules.ts'
import { eachEngine } from './support/each-engine.ts'
import { entriesAtRest, type OpenHouse, openHouse } from './support/open-house.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'
import { openTalkingHouse } from './support/talking-house.ts'

const PRICE = { input: 3, output: 15 }
const USAGE = { input: 1_000, output: 20 }
const BILL = (USAGE.input * PRICE.input + USAGE.output * PRICE.output) / 1_000_000

describe('a talk that met many rules', () => {
  let provider: ScriptedProvider
  let house: OpenHouse
  let threadId: string

  beforeAll(async () => {
    provider = await startScriptedProvider(({ tools, text, body }) => {
      if (!tools.includes('decide')) {
        const isEcho = text.includes('in turn')
        return { text: isEcho ? '@kim @lou your turn' : 'Here I am.', usage: USAGE }
      }
      const wanted = body['model'] === 'n' ? 'Lou' : 'Kim'
      const pick = new RegExp(`"id":"(c\\d+)","name":"${wanted}"`).exec(text)?.[1] ?? 'nobody'
      return { toolCalls: [{ name: 'decide', args: { pick, reason: 'fits' } }], usage: USAGE }
    })
    const models = ['m', 'n'].map((id) => ({
      id,
      inputPrice: PRICE.input,
      outputPrice: PRICE.output,
    }))
    const settings = { name: 'scripted', kind: 'openai', baseUrl: provider.openaiBaseUrl }
    house = await openHouse({
      ARBE_PROVIDERS: JSON.stringify([{ ...settings, apiKey: 'a-key', models }]),
    })
    threadId = await talk()
  })
  afterAll(async () => {
    await house[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  async function talk(): Promise<string> {
    const { owner } = house
    const kim = await owner.bots.create({ name: 'Kim' })
    const lou = await owner.bots.create({ name: 'Lou' })
    const { id } = await owner.threads.create({ title: 'Tides', bots: [kim.id, lou.id] })
    const say = async (input: Parameters<typeof owner.threads.append>[1]) => {
      const { seq } = await owner.threads.append(id, input)
      if (input.kind !== 'chat.edit') await entriesAtRest(owner, id, { seq })
      return seq
    }
    const chat = (text: string) => say({ kind: 'chat', text })
    await chat('Who can read a tide table?')
    await chat('and the moon?')
    await chat('Thanks!')
    const asked = await chat('@lou and you?')
    await say({ kind: 'chat.edit', target: asked, text: '@lou and you, please?' })
    await owner.threads.edit(id, { mutes: [{ bot: lou.id, muted: true }] })
    await chat('@lou are you there?')
    await owner.threads.edit(id, {
      mutes: [{ bot: lou.id, muted: false }],
      limits: { perBot: 2, perThread: 3 },
    })
    await chat('@kim @lou tell it each other in turn')
    await say({ kind: 'thread.continue' })
    await say({ kind: 'thread.ask', bot: kim.id })
    await owner.threads.edit(id, { modes: [{ bot: kim.id, mode: 'mention' }] })
    await chat('@mia note to self')
    await owner.threads.edit(id, { removeBots: [lou.id] })
    await chat('Is anybody left?')
    return id
  }

  test('is decided again as it was, for nothing', async () => {
    const calls = provider.calls
    const { decisions, ...sums } = await house.owner.threads.replay(threadId)
    const others = decisions.filter(({ verdict }) => verdict !== 'same')
    expect(others.map(({ verdict, stored }) => [verdict, stored.kind])).toEqual([
      ['not_asked', 'paid'],
    ])
    const rules = new Set(decisions.map(({ stored }) => stored.rule ?? stored.kind))
    expect([...rules].toSorted()).toEqual([
      'acknowledgement',
      'asked',
      'bot_spoke',
      'continuation',
      'continue',
      'debt',
      'mention',
      'named_unavailable',
      'owed',
      'paid',
      'turn_limit',
    ])
    expect(sums).toMatchObject({
      same: decisions.length - 1,
      different: 0,
      notAsked: 1,
      cost: { stored: expect.closeTo(BILL, 12), now: null },
    })
    expect(provider.calls).toBe(calls)
  })

  test('is put to another model, which picks another bot, and both bills are told', async () => {
    const before = await house.owner.threads.get(threadId)
    const { total: spent } = await house.owner.threads.cost(threadId)
    const replay = await house.owner.threads.replay(threadId, { model: 'scripted/n' })
    const different = replay.decisions.filter(({ verdict }) => verdict === 'different')
    expect(
      different.map(({ stored, now }) => [stored.reason, stored.model, now?.reason, now?.model]),
    ).toEqual([['fits', 'scripted/m', 'fits', 'scripted/n']])
    expect(different.map(({ stored, now }) => stored.speaker === now?.speaker)).toEqual([false])
    expect(replay.cost).toEqual({
      stored: expect.closeTo(BILL, 12),
      now: expect.closeTo(BILL, 12),
    })
    const { total } = await house.owner.threads.cost(threadId)
    expect(total.cost - spent.cost).toBeCloseTo(BILL, 12)
    expect(await house.owner.threads.get(threadId)).toEqual(before)
  })

  test('is not put to a model that nobody knows', async () => {
    await expect(house.owner.threads.replay(threadId, { model: 'scripted/x' })).rejects.toThrow(
      'The house knows no model "scripted/x".',
    )
  })
})

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  test('other rules show where they would decide otherwise, and nothing in the thread moves', async () => {
    await using house = await openTalkingHouse(db)
    const threadId = await house.newThread()
    for (const text of ['@bo hello', 'Thanks!', '@cleo hello'])
      await house.say(threadId, { kind: 'chat', text })
    const rows = async () =>
      Promise.all(
        ['entries', 'threads', 'dispatch', 'thread_directors', 'ledger'].map((table) =>
          db.query(`select * from ${table} order by 1, 2, 3`),
        ),
      )
    const before = await rows()
    const asker = {
      db,
      books: createBooks(db),
      models: { find: () => undefined, defaultName: 'none/none', names: [] },
      clock: systemClock,
      random: Math.random,
      newCallId: () => 'call',
      toolNames: async () => () => [],
    }
    const { houseId } = house
    const { signal } = new AbortController()
    const wish = { houseId, threadId, last: 50, model: undefined, signal }
    expect(await replayDecisions(asker, wish)).toMatchObject({ same: 5, different: 0 })
    const planted = await replayDecisions(asker, {
      ...wish,
      rules: (view) =>
        view.texts.some(({ text }) => text === 'Thanks!')
          ? { kind: 'free', rule: 'to_people', speaker: null, about: [] }
          : decide(view),
    })
    expect(planted.decisions.map(({ verdict, now }) => [verdict, now?.rule])).toEqual([
      ['same', 'mention'],
      ['same', 'bot_spoke'],
      ['different', 'to_people'],
      ['same', 'mention'],
      ['same', 'bot_spoke'],
    ])
    expect(await replayDecisions(asker, { ...wish, last: 2 })).toMatchObject({ same: 2 })
    expect(await rows()).toEqual(before)
  })
})
