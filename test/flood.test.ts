import { readConfig } from '@arbe/backstage/config'
import { startBackstage } from '@arbe/backstage/start-backstage'
import { type ActorId, type Entry, toActorId } from '@arbe/sdk'
import { BotInputSchema } from '@arbe/sdk/api'
import { expect, test } from 'vitest'
import type { PersonActor } from '../packages/core/access/authorship.ts'
import { createHouse } from '../packages/core/access/houses.ts'
import { addMember } from '../packages/core/access/members.ts'
import { createBot } from '../packages/core/bots/bots.ts'
import type { Database } from '../packages/core/db/executor.ts'
import { createModels } from '../packages/core/models/models.ts'
import { readModelsConfig } from '../packages/core/models/models-config.ts'
import { entryColumns } from '../packages/core/streams/entry-row.ts'
import { groupAppender } from '../packages/core/streams/group-appender.ts'
import { openLiveBus } from '../packages/core/streams/live-bus.ts'
import type { DirectorStore } from '../packages/core/thread-director/thread-director-port.ts'
import { createThreadDirectorStore } from '../packages/core/thread-director/thread-director-store.ts'
import { appendMessage } from '../packages/core/threads/append-message.ts'
import { createThread } from '../packages/core/threads/create-thread.ts'
import { checkStream } from './support/check-stream.ts'
import { eachEngine } from './support/each-engine.ts'
import { inLanes } from './support/kill-ground.ts'
import { providerEnv } from './support/open-house.ts'
import { ofKind } from './support/read-turns.ts'
import { startScriptedProvider } from './support/scripted-provider.ts'
import { untilQuiet } from './support/until-quiet.ts'

const MESSAGES = 1_000
const SPEAKERS_AT_ONCE = 50

eachEngine((open) => {
  test(
    '[R-09][I9] a thousand messages at once are one row in the queue, and no pass decides or pays twice',
    { timeout: 120_000 },
    async () => {
      await using provider = await startScriptedProvider(({ tools, number }) =>
        tools.includes('decide')
          ? { toolCalls: [{ name: 'decide', args: { pick: 'c1', reason: 'It fits.' } }] }
          : { text: `Answer ${number}.`, delayMs: 20 },
      )
      const db = await open()
      const bus = await openLiveBus(db)
      const { people, threadId } = await arrange(db)
      const errors: unknown[] = []
      let passes = 0
      const inner = createThreadDirectorStore(db, (hint) => bus.appended(hint))
      const store: DirectorStore = {
        ...inner,
        async capture(lease) {
          passes += 1
          return await inner.capture(lease)
        },
      }
      const settings = providerEnv({
        kind: 'openai',
        baseUrl: provider.openaiBaseUrl,
        price: { input: 1, output: 1 },
      })
      const backstage = startBackstage({
        db,
        bus,
        store,
        runtimes: new Map(),
        models: await createModels(readModelsConfig(settings), async () => {}),
        config: readConfig({ ARBE_SWEEP_MS: 'off', ARBE_QUIET_MS: '20' }),
        onError: (error) => void errors.push(error),
      })
      const door = {
        db,
        append: groupAppender(db, (hint) => bus.appended(hint)),
        stop: () => Promise.reject(new Error('nobody stops this')),
      }

      let mostQueued = 0
      const numbers = Array.from({ length: MESSAGES }, (_, n) => n)
      const acknowledged = await inLanes(SPEAKERS_AT_ONCE, numbers, async (n) => {
        const text = `${n}: what now?`
        const person = people[n % people.length]
        if (person === undefined) throw new Error('nobody speaks')
        const order = { threadId, clientKey: `${n}`, input: { kind: 'chat', text } as const }
        const answer = await appendMessage(door, person, order)
        if (n % 20 === 0) mostQueued = Math.max(mostQueued, await queued(db))
        return { seq: answer.seq, text }
      })
      await untilQuiet(db, 60_000)
      await backstage.close()
      await bus.close()

      const entries = await db.query<Entry>(
        `select ${entryColumns} from entries where thread_id = $1 order by entries.seq`,
        [threadId],
      )
      expect([errors, checkStream(entries, { quiet: true, acknowledged })]).toEqual([[], []])
      const decisions = ofKind(entries, 'signal.thread_director.decision')
      const paid = provider.requests.filter(({ tools }) => tools.includes('decide')).length
      const turns = decisions.filter(({ body }) => body.speaker !== null).length
      expect(mostQueued).toBe(1)
      expect(decisions.length).toBeLessThanOrEqual(passes)
      expect(paid).toBe(decisions.filter(({ body }) => body.kind === 'paid').length)
      // Each range holds a hundred at most, and what comes in the meantime is decided together.
      expect(paid).toBeLessThanOrEqual(MESSAGES / 10)
      expect(provider.calls - paid).toBe(turns)
    },
  )
})

async function queued(db: Database): Promise<number> {
  const [row] = await db.query<{ rows: number }>('select count(*)::int as rows from dispatch')
  return row?.rows ?? 0
}

async function arrange(db: Database) {
  return await db.transaction(async (tx) => {
    const names = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
    const { houseId, ownerId } = await createHouse(tx, names)
    const ben = await addMember(tx, houseId, { name: 'Ben', role: 'member' })
    const people = [ownerId, toActorId(ben.id)].map((id): PersonActor => ({
      kind: 'person',
      tokenKind: 'ses',
      tokenHash: '',
      role: 'owner',
      houseId,
      id,
    }))
    const [mia] = people
    if (mia === undefined) throw new Error('a house has its owner')
    const bots: ActorId[] = []
    for (const name of ['Ada', 'Bo'])
      bots.push(await createBot(tx, houseId, BotInputSchema.parse({ name })))
    const threadId = await createThread(tx, mia, {
      title: '',
      people: people.map(({ id }) => id),
      bots,
    })
    return { people, threadId }
  })
}
