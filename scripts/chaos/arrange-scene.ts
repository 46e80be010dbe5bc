import type { ArbeClient } from '@arbe/sdk/client'
import type { ChaosThread, LoadParts } from './chaos-load.ts'
import { markOf } from './chaos-provider.ts'

/** Bots and threads for everybody, made before the first fault. Each thread begins with its mark, so that every request tells its thread. */
export async function arrangeScene(
  [client]: readonly ArbeClient[],
  { threads, bots }: { readonly threads: number; readonly bots: number },
): Promise<{ readonly threads: readonly ChaosThread[]; readonly bots: LoadParts['bots'] }> {
  if (client === undefined) throw new Error('a house without a page')
  const there = (await client.bots.list()).bots.length
  for (let n = there + 1; n <= bots; n += 1)
    await client.bots.create({ name: `Bot ${n}`, handle: `bot${n}`, description: `Knows ${n}.` })
  const all = (await client.bots.list()).bots.slice(0, bots)
  const people = (await client.people()).people.map(({ id }) => id)
  const made: ChaosThread[] = []
  for (let number = 1; number <= threads; number += 1) {
    const { id } = await client.threads.create({ people, bots: all.map((bot) => bot.id) })
    await client.threads.append(id, { kind: 'chat', text: `We begin ${markOf(number)}` })
    made.push({ id, number })
  }
  return { threads: made, bots: all }
}
