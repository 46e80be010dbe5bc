import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('work asked for while it is done is done once more, and other names do not wait', async () => {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const work = oneAtATime(async (name) => {
    begun.push(name)
    if (name === 'a') await gate.promise
  })
  const first = work('a')
  void work('a')
  void work('a')
  await work('b')
  expect(begun).toEqual(['a', 'b'])
  gate.resolve()
  await first
  expect(begun).toEqual(['a', 'b', 'a'])
})

test('work that failed may be asked for again', async () => {
  let fails = true
  const work = oneAtATime(async () => {
    if (fails) throw new Error('away')
  })
  await expect(work('a')).rejects.toThrow('away')
  fails = false
  await expect(work('a')).resolves.toBeUndefined()
})
