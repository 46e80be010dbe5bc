import type { Entry } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { entriesUntil, openHouse } from './support/open-house.ts'

test('[B15] a renamed bot answers to its new handle, and the old one reaches nobody', async () => {
  await using house = await openHouse()
  const { bots, threads } = house.owner
  const ann = await bots.create({ name: 'Ann', handle: 'ann', triggerMode: 'mention' })
  const cleo = await bots.create({ name: 'Cleo', handle: 'cleo', triggerMode: 'mention' })
  const { id } = await threads.create({ title: 'Names', bots: [ann.id, cleo.id] })
  const speakerOf = async (text: string) => {
    const { seq } = await threads.append(id, { kind: 'chat', text })
    const entries = await entriesUntil(house.owner, id, (entry) => covers(entry, seq))
    const entry = entries.at(-1)
    const decision = entry?.kind === 'signal.thread_director.decision' ? entry.body : undefined
    return [decision?.speaker, decision?.rule, decision?.requests.length]
  }

  expect(await speakerOf('@ann hello')).toEqual([ann.id, 'mention', 1])
  await bots.edit(ann.id, { name: 'Anna', handle: 'anna' })
  await expect(bots.create({ name: 'Ann', handle: 'ann' })).rejects.toMatchObject({
    status: 409,
    code: 'handle_taken',
    message: expect.stringMatching(/@ann.* was released and is kept .* until .* UTC\.$/),
  })
  await expect(bots.edit(cleo.id, { handle: 'ann' })).rejects.toMatchObject({
    code: 'handle_taken',
  })
  expect((await threads.get(id)).formerHandles).toContainEqual({ id: ann.id, handle: 'ann' })

  expect(await speakerOf('@ann are you there?')).toEqual([null, 'mention_only', 0])
  expect(await speakerOf('@anna are you there?')).toEqual([ann.id, 'mention', 1])

  const { entries } = await threads.entries(id, { after: 0 })
  const first = entries.find(({ kind }) => kind === 'chat')
  expect(first?.body).toMatchObject({
    text: '@ann hello',
    mentions: [ann.id],
    names: [{ id: ann.id, handle: 'ann' }],
  })
  const { seq } = await threads.append(id, {
    kind: 'chat.edit',
    target: first?.seq ?? 0,
    text: '@ann hello!',
  })
  const edit = await threads.entries(id, { after: seq - 1, limit: 1 })
  expect(edit.entries).toMatchObject([
    { kind: 'chat.edit', wakes: false, body: { mentions: [ann.id], added: [] } },
  ])
  expect(house.errors).toEqual([])
})

function covers(entry: Entry, seq: number): boolean {
  if (entry.kind !== 'signal.thread_director.decision') return false
  return entry.body.from < seq && seq <= entry.body.to
}
