import { NO_USAGE, toActorId, toOffset } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { storyteller } from '../../../test/support/entries.ts'
import {
  calls,
  type FakeModel,
  fakeModel,
  fails,
  hangs,
  says,
} from '../../../test/support/fake-model.ts'
import { type Scene, sceneWith } from '../../../test/support/turn-scene.ts'
import type { Database } from '../db/executor.ts'
import type { AssistantMessage, Model, ModelReply } from '../models/model.ts'
import { LeaseLost } from '../threads/turn.ts'

eachEngine((open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  const sceneOf = (model: FakeModel): Scene<FakeModel> => sceneWith(db, model)

  describe('a turn', () => {
    test('answers with what its model says, and what that cost', async () => {
      const scene = sceneOf(fakeModel(says('Hello Mia.')))
      expect(await scene.run()).toEqual({
        status: 'replied',
        text: 'Hello Mia.',
        assistant: 2,
        rounds: 1,
        usage: { ...NO_USAGE, input: 10, output: 2 },
        cost: 0.25,
        model: 'fake/model',
        ms: 0,
      })
      expect(scene.model.requests[0]).toMatchObject({
        systemPrompt: expect.stringMatching(
          /Your name is Ann, your handle is @ann\.\n\nYou are kind\./,
        ) as string,
        sessionId: expect.stringMatching(/:ann$/) as string,
      })
      expect(scene.model.requests[0]?.systemPrompt).not.toContain('Mia')
    })

    test('works with files over several rounds, all of it stored', async () => {
      const scene = sceneOf(
        fakeModel(
          calls(['write_file', { path: 'a.txt', content: 'one\n' }]),
          calls(
            ['patch_file', { path: 'a.txt', old_str: 'one', new_str: 'two' }],
            ['read_file', { path: 'a.txt' }],
          ),
          says('It says two.'),
        ),
      )
      expect(await scene.run()).toMatchObject({
        status: 'replied',
        text: 'It says two.',
        rounds: 3,
        cost: 0.75,
      })
      expect(
        scene
          .stored()
          .map((entry) => (entry.kind === 'pi.tool_result' ? entry.body.text : entry.kind)),
      ).toEqual([
        'pi.assistant',
        'File written: a.txt',
        'pi.assistant',
        'File patched: a.txt',
        '1: two\n',
        'pi.assistant',
      ])
    })

    test('that calls pass ends so, with its reason', async () => {
      const scene = sceneOf(fakeModel(calls(['pass', { reason: 'Ben knows better' }])))
      expect(await scene.run()).toMatchObject({
        status: 'passed',
        because: 'Ben knows better',
        rounds: 1,
      })
    })

    test('[C5] that writes a silence token passes, and nobody sees half of it', async () => {
      const token: Model['call'] = async (_request, { onText }) => {
        onText?.('NO_')
        onText?.('REPLY')
        return says('NO_REPLY')
      }
      const scene = sceneOf(fakeModel(token))
      const result = await scene.run()
      expect(result).toMatchObject({ status: 'passed', because: 'declined' })
      expect(result).not.toHaveProperty('text')
      expect(scene.shown).toEqual([])
    })

    test('[C6] that falls silent after it changed something says so', async () => {
      const write = calls(['write_file', { path: 'a', content: 'x' }])
      expect(await sceneOf(fakeModel(write, says(''))).run()).toMatchObject({
        status: 'silent',
        because: 'after_side_effects',
      })
      expect(await sceneOf(fakeModel(calls(['look']), says(''))).run()).toMatchObject({
        status: 'silent',
      })
    })

    test('[E9] that speaks for somebody else is cut, and marked', async () => {
      const scene = sceneOf(fakeModel(says('Ann: Done.\n\nMia: thanks!')))
      expect(await scene.run()).toMatchObject({
        status: 'replied',
        text: 'Done.',
        because: 'spoke_for_others',
      })
    })

    test('whose model is not configured fails with its name', async () => {
      const scene = sceneOf(fakeModel(says('x')))
      const bot = {
        id: toActorId('ann'),
        name: 'Ann',
        handle: 'ann',
        prompt: '',
        voice: '',
        arbeContext: true,
        model: 'gone/model',
      }
      expect(await scene.run({ bot })).toEqual({
        status: 'failed',
        error: 'the model "gone/model" is unknown or has no key',
        rounds: 0,
        usage: NO_USAGE,
        cost: 0,
        model: 'gone/model',
        ms: 0,
      })
    })

    test('[F3] whose provider fails keeps the text that came, apart from any reply', async () => {
      const scene = sceneOf(fakeModel(fails('503: busy', { partial: 'I was abo' })))
      const result = await scene.run()
      expect(result).toMatchObject({
        status: 'failed',
        error: '503: busy',
        partial: 'I was abo',
        rounds: 0,
      })
      expect(result).not.toHaveProperty('text')
    })

    test('whose request is too large is asked again with less of the thread', async () => {
      const story = storyteller()
      const entries = Array.from({ length: 300 }, () =>
        story.add('chat', 'mia', { text: 'x'.repeat(300) }),
      )
      const tooLarge = fails('400: maximum context length is 9 tokens', { overflow: true })
      const scene = sceneOf(fakeModel(tooLarge, tooLarge, says('short')))
      const seen = toOffset(300)
      const decision = { ...scene.decision, from: toOffset(299), to: seen, seen }
      expect(await scene.run({ entries, decision })).toMatchObject({
        status: 'replied',
        text: 'short',
      })
      const sizes = scene.model.requests.map(({ messages }) => JSON.stringify(messages).length)
      expect(sizes.map((size) => Math.round(size / 20_000))).toEqual([6, 2, 1])
    })

    test('[F4] that is stopped is cancelled', async () => {
      const stop = new AbortController()
      const stopping: Model['call'] = async (request, options) => {
        const reply = hangs('half')(request, options)
        stop.abort()
        return reply
      }
      expect(await sceneOf(fakeModel(stopping)).run({ signal: stop.signal })).toMatchObject({
        status: 'cancelled',
        because: 'stopped',
        partial: 'half',
      })
    })

    test('[D10] that lost its lease ends with that, not with a result', async () => {
      const lease = new AbortController()
      const losing: Model['call'] = async (request, options) => {
        const reply = hangs()(request, options)
        lease.abort(new LeaseLost('taken over'))
        return reply
      }
      await expect(sceneOf(fakeModel(losing)).run({ signal: lease.signal })).rejects.toThrow(
        LeaseLost,
      )
    })

    test('[R-16] calls no tool once its lease is up, also when no timer has told it yet', async () => {
      const scene = sceneOf(fakeModel(calls(['fire']), says('ok')))
      const lease = new AbortController()
      const isOurs = () => {
        lease.abort(new LeaseLost('no timer has told it yet'))
        return false
      }
      await expect(scene.run({ signal: lease.signal, isOurs })).rejects.toThrow(LeaseLost)
      expect(scene.ran).toEqual([])
    })

    test('whose cause was deleted between rounds is cancelled', async () => {
      const answers = [undefined, undefined, { because: 'cause_deleted' }]
      const scene = sceneOf(fakeModel(calls(['look'])))
      const result = await scene.run({ betweenRounds: async () => answers.shift() })
      expect(result).toMatchObject({ status: 'cancelled', because: 'cause_deleted', rounds: 1 })
    })

    test('is offered what the rules allow, and a denied tool is no tool', async () => {
      const scene = sceneOf(fakeModel(calls(['fire']), says('ok')))
      await scene.run({ toolRules: { allow: ['look', 'fire'], deny: ['fire'] } })
      expect(scene.model.requests[0]?.tools.map((tool) => tool.name)).toEqual(['look'])
      expect(scene.ran).toEqual([])
      expect(scene.stored()[1]?.body).toMatchObject({ error: 'unknown_tool' })
    })

    test('that answers a handover is asked not to repeat the report', async () => {
      const scene = sceneOf(fakeModel(says('ok')))
      const handover = { childThreadId: 'thr_c', status: 'completed' as const }
      const report = storyteller().add('chat', 'system', { text: 'report', handover })
      await scene.run({ entries: [report] })
      expect(scene.model.requests[0]?.systemPrompt).toContain('marked "handover"')
    })

    test('that answers something else is not told of the handover above', async () => {
      const scene = sceneOf(fakeModel(says('ok')))
      const story = storyteller()
      const handover = { childThreadId: 'thr_c', status: 'completed' as const }
      const entries = [
        story.add('chat', 'system', { text: 'report', handover }),
        story.add('chat', 'mia', { text: 'and now?' }),
      ]
      const decision = { ...scene.decision, from: toOffset(1), to: toOffset(2), seen: toOffset(2) }
      await scene.run({ entries, decision })
      expect(scene.model.requests[0]?.systemPrompt).not.toContain('marked "handover"')
      const requests = [
        {
          bot: toActorId('ann'),
          entry: toOffset(1),
          by: 'handover' as const,
          person: false,
          hops: 0,
        },
      ]
      await scene.run({ entries, stored: async () => [], decision: { ...decision, requests } })
      expect(scene.model.requests[1]?.systemPrompt).toContain('marked "handover"')
    })
  })

  describe('a turn that was interrupted', () => {
    const stored = (reply: ModelReply): AssistantMessage => {
      if (reply.status !== 'ok') throw new Error(reply.status)
      return reply.message
    }
    const round = (scene: Scene, number: number, reply: ModelReply) =>
      scene.writes.assistant({ round: number, message: stored(reply), ms: 1 })
    const result = (scene: Scene, index: number, tool: string) =>
      scene.writes.toolResult(
        { round: 0, index, callId: '', tool },
        { text: `${tool} ran`, isError: false },
      )
    const results = (scene: Scene): readonly (readonly [string, string | undefined])[] =>
      scene
        .stored()
        .flatMap((entry) =>
          entry.kind === 'pi.tool_result' ? [[entry.body.tool, entry.body.error]] : [],
        )

    test('[D7] before its first round begins', async () => {
      const scene = sceneOf(fakeModel(says('hi')))
      expect(await scene.run({ attempts: 3 })).toMatchObject({ status: 'replied', rounds: 1 })
    })

    test('before its first round, three times: the model is not asked a fourth time', async () => {
      const scene = sceneOf(fakeModel(says('hi')))
      expect(await scene.run({ attempts: 4 })).toMatchObject({
        status: 'interrupted',
        because: 'attempts',
        rounds: 0,
      })
    })

    test('[D7] with all results stored asks for the next round and runs nothing twice', async () => {
      const scene = sceneOf(fakeModel(says('seen')))
      await round(scene, 0, calls(['fire'], ['look']))
      await result(scene, 0, 'fire')
      await result(scene, 1, 'look')
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'replied',
        text: 'seen',
        rounds: 2,
      })
      expect(scene.ran).toEqual([])
      expect(scene.model.requests[0]?.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'toolResult',
        'toolResult',
      ])
    })

    test('[D7] runs an open call that changes nothing, and goes on', async () => {
      const scene = sceneOf(fakeModel(says('seen')))
      await round(scene, 0, calls(['fire'], ['look']))
      await result(scene, 0, 'fire')
      expect(await scene.run({ attempts: 2 })).toMatchObject({ text: 'seen' })
      expect(scene.ran).toEqual(['look'])
      expect(scene.model.requests[0]?.messages.at(-1)).toMatchObject({
        content: [{ text: 'look ran' }],
      })
    })

    test('[D7] [R-33] runs an open file call under the key it had', async () => {
      const scene = sceneOf(fakeModel(says('written')))
      await round(scene, 0, calls(['write_file', { path: 'a', content: 'x' }]))
      await scene.run({ attempts: 2 })
      const rows = await db.query(`select effect_key from files where house_id = $1`, [
        scene.houseId,
      ])
      expect(rows).toEqual([{ effect_key: 'thr_1:1:0:0' }])
    })

    test('a call behind the open one never began, so it runs', async () => {
      const scene = sceneOf(fakeModel(says('done')))
      await round(scene, 0, calls(['look'], ['fire']))
      expect(await scene.run({ attempts: 2 })).toMatchObject({ text: 'done' })
      expect(scene.ran).toEqual(['look', 'fire'])
    })

    test('[R-32] an open call that may have happened is not made again: the turn is interrupted', async () => {
      const scene = sceneOf(fakeModel(says('never')))
      await round(scene, 0, calls(['look'], ['fire'], ['look']))
      await result(scene, 0, 'look')
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'interrupted',
        because: 'outcome_unknown',
        rounds: 1,
      })
      expect(scene.ran).toEqual([])
      expect(scene.model.requests).toEqual([])
      expect(results(scene)).toEqual([
        ['look', undefined],
        ['fire', 'outcome_unknown'],
        ['look', 'not_run'],
      ])
    })

    test('[E16] whose last round calls nothing has its reply, without asking again', async () => {
      const scene = sceneOf(fakeModel(says('never')))
      await round(scene, 0, calls(['look']))
      await result(scene, 0, 'look')
      const assistant = await round(scene, 1, says('the answer'))
      expect(await scene.run({ attempts: 9 })).toMatchObject({
        status: 'replied',
        text: 'the answer',
        assistant,
        rounds: 2,
        cost: 0,
      })
      expect(scene.model.requests).toEqual([])
    })

    test('that had passed has passed', async () => {
      const scene = sceneOf(fakeModel(says('never')))
      await round(scene, 0, calls(['pass', { reason: 'r' }]))
      await result(scene, 0, 'pass')
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'passed',
        because: 'pass ran',
      })
    })

    test('three attempts are made, then it is given up', async () => {
      for (const [attempts, status] of [
        [3, 'replied'],
        [4, 'interrupted'],
      ] as const) {
        const scene = sceneOf(fakeModel(says('seen')))
        await round(scene, 0, calls(['look']))
        expect(await scene.run({ attempts })).toMatchObject({ status })
      }
    })

    test('a round that cannot be read is not guessed at', async () => {
      const scene = sceneOf(fakeModel(says('never')))
      await scene.writes.assistant({
        round: 0,
        message: { role: 'assistant', content: [{ type: 'new' }] },
        ms: 1,
      })
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'interrupted',
        because: 'unreadable',
      })
    })

    test('[C6] what an earlier attempt changed is a side effect of the turn', async () => {
      const scene = sceneOf(fakeModel(says('')))
      await round(scene, 0, calls(['fire']))
      await result(scene, 0, 'fire')
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'silent',
        because: 'after_side_effects',
      })
    })

    test('the rounds of all attempts count toward the bound', async () => {
      const scene = sceneOf(fakeModel(says('last words')))
      for (let number = 0; number < 24; number += 1) {
        await round(scene, number, calls(['look']))
        await scene.writes.toolResult(
          { round: number, index: 0, callId: '', tool: 'look' },
          { text: 'x', isError: false },
        )
      }
      expect(await scene.run({ attempts: 2 })).toMatchObject({
        status: 'limit',
        because: '24 rounds',
        text: 'last words',
        rounds: 25,
      })
    })
  })
})
