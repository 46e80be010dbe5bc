import { type ActorId, type HouseId, toActorId } from '@arbe/sdk'
import { BotInputSchema } from '@arbe/sdk/api'
import { beforeAll, beforeEach, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import { createBot, editBot, removeBot } from '../bots/bots.ts'
import type { Database } from '../db/executor.ts'
import { proposeHandle } from './handles.ts'
import { createHouse } from './houses.ts'
import { addMember, removeMember, renameMember } from './members.ts'
import { Refused } from './refused.ts'

eachEngine((open) => {
  let db: Database
  let houseId: HouseId
  let ann: ActorId
  beforeAll(async () => {
    db = await open()
  })
  beforeEach(async () => {
    const house = { name: 'House', ownerName: 'Mia', ownerHandle: 'mia' }
    houseId = (await createHouse(db, house)).houseId
    ann = await makeBot('Ann', 'ann')
  })

  const makeBot = (name: string, handle: string): Promise<ActorId> =>
    createBot(db, houseId, BotInputSchema.parse({ name, handle }))
  const call = (id: ActorId, handle: string) => editBot(db, houseId, { id, patch: { handle } })
  const join = (name: string, handle: string) =>
    addMember(db, houseId, { name, handle, role: 'member' })

  /** Moves what was given up into the past. */
  const later = (time: string) =>
    db.query(
      `update handles set released_at = released_at - $2::interval
       where house_id = $1 and released_at is not null`,
      [houseId, time],
    )

  const refusal = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'not refused',
      (error: unknown) => (error instanceof Refused ? `${error.code}: ${error.message}` : 'broken'),
    )

  const KEPT = new RegExp(
    '^handle_taken: The handle @ann, or one that looks like it, was released and is kept for its' +
      String.raw` former owner until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$`,
  )

  test('[B15] a handle given up is nobody else’s for thirty days, new or renamed, bot or person', async () => {
    await call(ann, 'anna')
    const bo = await makeBot('Bo', 'bo')
    const ben = toActorId((await join('Ben', 'ben')).id)
    await later('29 days 23:59')
    expect([
      await refusal(makeBot('Ann', 'ann')),
      await refusal(call(bo, 'ann')),
      await refusal(join('Ann', 'ann')),
      await refusal(renameMember(db, houseId, { id: ben, handle: 'ann' })),
    ]).toEqual([KEPT, KEPT, KEPT, KEPT].map((said) => expect.stringMatching(said)))
  })

  test('[B15] the refusal says until when', async () => {
    await call(ann, 'anna')
    await db.query(
      `update handles set released_at = date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC'
       where house_id = $1 and handle = 'ann'`,
      [houseId],
    )
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    expect(await refusal(makeBot('Ann', 'ann'))).toContain(`until ${day} 00:00 UTC.`)
  })

  test('one that looks like it is kept as well', async () => {
    await call(ann, 'other')
    expect(await refusal(makeBot('Ann', 'änn'))).toMatch(
      /^handle_taken: The handle @änn.* released/,
    )
  })

  test('[B15] its former owner takes it back at once, and then it is in use', async () => {
    await call(ann, 'anna')
    expect(await call(ann, 'ann')).toMatchObject({ handle: 'ann' })
    await later('31 days')
    expect(await refusal(makeBot('Ann', 'ann'))).toBe(
      'handle_taken: The handle @ann, or one that looks like it, is taken.',
    )
    await makeBot('Anna', 'anna')
  })

  test('[B15] after thirty days it is anybody’s, also as a proposal, and its former owner’s no more', async () => {
    await call(ann, 'anna')
    expect(await proposeHandle(db, houseId, 'Ann')).toBe('ann-2')
    await later('30 days')
    expect(await proposeHandle(db, houseId, 'Ann')).toBe('ann')
    await makeBot('Ann', 'ann')
    expect(await refusal(call(ann, 'ann'))).toMatch(/ is taken\.$/)
  })

  test('[B15] the handles of a removed bot and of a removed member are kept', async () => {
    await call(ann, 'anna')
    await removeBot(db, houseId, ann)
    const ben = toActorId((await join('Ben', 'ben')).id)
    await removeMember(db, houseId, ben)
    const taken = /^handle_taken: .* was released and is kept/
    expect([
      await refusal(join('Ann', 'ann')),
      await refusal(makeBot('Anna', 'anna')),
      await refusal(makeBot('Ben', 'ben')),
    ]).toEqual([taken, taken, taken].map((said) => expect.stringMatching(said)))
    await later('30 days')
    await makeBot('Ben', 'ben')
  })

  test('a second rename begins no new month for the first handle', async () => {
    await call(ann, 'anna')
    await later('29 days')
    await call(ann, 'anne')
    await later('1 day')
    await makeBot('Ann', 'ann')
    expect(await refusal(makeBot('Anna', 'anna'))).toMatch(/ was released /)
  })

  test('a change of other settings gives nothing up', async () => {
    await editBot(db, houseId, { id: ann, patch: { name: 'Annabel' } })
    await later('31 days')
    expect(await refusal(makeBot('Ann', 'ann'))).toMatch(/ is taken\.$/)
  })
})
