import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toActorId, toHouseId, toThreadId } from '@arbe/sdk'
import { createClient } from '@arbe/sdk/client'
import { expect, test } from 'vitest'
import { serve } from '../apps/cli/src/serve.ts'
import { openDatabase } from '../packages/core/db/open-db.ts'
import { toEntryJson } from '../packages/core/streams/entry-draft.ts'
import { appendEntries } from '../packages/core/streams/thread-stream.ts'
import { checkStream } from './support/check-stream.ts'
import { entriesAtRest, providerEnv } from './support/open-house.ts'
import { type ScriptedRequest, startScriptedProvider } from './support/scripted-provider.ts'
import { signIn } from './support/sign-in.ts'

const MESSAGES = 10_000
/** One for each hundred messages, the end, and what its reply asks. */
const MOST_DECISIONS = MESSAGES / 100 + 3

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

test('[J3] ten thousand messages that came while no worker ran cost one paid decision and one turn', async () => {
  const isDecision = ({ tools }: ScriptedRequest): boolean => tools.includes('decide')
  await using provider = await startScriptedProvider((request) =>
    isDecision(request)
      ? { toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'It fits.' } }] }
      : { text: 'So that is what happened.' },
  )
  const folder = await mkdtemp(join(tmpdir(), 'arbe-backlog-'))
  const errors: unknown[] = []
  const env = {
    ARBE_DATA: folder,
    ARBE_PORT: '0',
    ...providerEnv({ kind: 'openai', baseUrl: provider.openaiBaseUrl }),
  }
  const start = (...parts: readonly ('www' | 'backstage')[]) =>
    serve(env, { parts, onError: (error) => void errors.push(error) })

  const before = await start('www')
  const { client, token } = await signIn(before.ownerLink ?? '', 'Mia')
  const { person, house } = await client.me()
  const { bots } = await client.bots.list()
  const { id } = await client.threads.create({ bots: bots.map((bot) => bot.id) })
  await before.close()

  const db = await openDatabase({ dataDir: folder })
  for (let from = 0; from < MESSAGES; from += 1_000) {
    const drafts = Array.from({ length: 1_000 }, (_, at) =>
      toEntryJson({
        houseId: toHouseId(house.id),
        threadId: toThreadId(id),
        key: `via:${person.id}:slack:${from + at}`,
        authorId: toActorId(person.id),
        authorKind: 'person',
        kind: 'chat',
        wakes: true,
        readable: true,
        body: { text: `What about number ${from + at}?` },
      }),
    )
    await appendEntries(db, drafts)
  }
  await db.close()

  const after = await start('www', 'backstage')
  const entries = await entriesAtRest(createClient({ baseUrl: after.url ?? '', token }), id)
  await after.close()
  await rm(folder, { recursive: true })

  const decisions = entries.filter(({ kind }) => kind === 'signal.thread_director.decision')
  expect(checkStream(entries, { quiet: true })).toEqual([])
  expect(decisions.length).toBeLessThanOrEqual(MOST_DECISIONS)
  expect([provider.requests.filter(isDecision).length, provider.calls]).toEqual([1, 2])
  const times = decisions.map(({ createdAt }) => Date.parse(createdAt))
  const pauses = times.slice(1, 100).map((time, index) => time - (times[index] ?? 0))
  // The first ones and the last ones of the backlog; a loaded machine makes any single one slow.
  const [early, late] = [median(pauses.slice(0, 40)), median(pauses.slice(-40))]
  expect(late).toBeLessThanOrEqual(3 * early + 10)
  expect(errors).toEqual([])
}, 120_000)
