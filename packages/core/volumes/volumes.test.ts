import { toActorId, toHouseId } from '@arbe/sdk'
import { beforeAll, describe, expect, test } from 'vitest'

import { eachEngine } from '../../../test/support/each-engine.ts'
import type { Database } from '../db/executor.ts'
import { isVolumePath, type VolumePath } from './volume-path.ts'
import { MAX_FILE_BYTES, readableVolume, volumeWorkspace } from './volume-workspace.ts'
import { deleteFile, listFiles, lockFile, readFile, writeFile } from './volumes.ts'

describe('a path', () => {
  test.each([
    'a',
    'a/b.txt',
    'über/ñ',
    '.env',
    'a..b',
    '__proto__',
    'toString',
    'x'.repeat(1_024),
    'a\\..\\b',
    '%2e%2e/a',
    'CON',
    'a.',
    'A',
  ])('[S-36] of the house: %s', (path) => {
    expect(isVolumePath(path)).toBe(true)
  })

  test.each([
    '',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/../b',
    'a/..',
    './a',
    'a/.',
    'a//b',
    'a/',
    'a\0b',
    'u\u0308ber',
    '\uD800',
    'x'.repeat(1_025),
    'ä'.repeat(513),
  ])('[S-36] that is refused: %j', (path) => {
    expect(isVolumePath(path)).toBe(false)
  })
})

eachEngine((open) => {
  let db: Database
  let house = toHouseId('')
  let count = 0
  const author = toActorId('agt_ann')

  beforeAll(async () => {
    db = await open()
  })

  const path = (text: string): VolumePath => {
    if (!isVolumePath(text)) throw new Error(text)
    return text
  }
  const newHouse = (): void => {
    count += 1
    house = toHouseId(`hse_${count}`)
  }
  const write = (at: string, content: string, effectKey: string): Promise<number> =>
    db.transaction((tx) =>
      writeFile(tx, { houseId: house, path: path(at), authorId: author, effectKey, content }),
    )
  const remove = (at: string, effectKey: string): Promise<number> =>
    db.transaction((tx) =>
      deleteFile(tx, { houseId: house, path: path(at), authorId: author, effectKey }),
    )
  const contentOf = async (at: string): Promise<string | undefined> =>
    (await readFile(db, house, path(at)))?.content

  test('every write adds a version, and the newest is read', async () => {
    newHouse()
    expect([await write('a', 'one', 'k1'), await write('a', 'two', 'k2')]).toEqual([1, 2])
    expect(await readFile(db, house, path('a'))).toEqual({
      path: 'a',
      version: 2,
      content: 'two',
      authorId: author,
    })
    expect(await contentOf('b')).toBeUndefined()
  })

  test('a write that runs again neither doubles nor overwrites', async () => {
    newHouse()
    await write('a', 'one', 'k1')
    await write('a', 'two', 'k2')
    expect(await write('a', 'one', 'k1')).toBe(1)
    expect(await contentOf('a')).toBe('two')
    expect(await write('b', 'same key, other file', 'k1')).toBe(1)
  })

  test('a deleted file is gone and may come back as its next version', async () => {
    newHouse()
    await write('a', 'one', 'k1')
    expect(await remove('a', 'k2')).toBe(2)
    expect(await contentOf('a')).toBeUndefined()
    expect(await listFiles(db, house, { folder: undefined, limit: 10 })).toEqual([])
    expect(await write('a', 'again', 'k3')).toBe(3)
    expect(await contentOf('a')).toBe('again')
  })

  test('houses do not share files', async () => {
    newHouse()
    await write('a', 'theirs', 'k1')
    newHouse()
    expect(await contentOf('a')).toBeUndefined()
    expect(await write('a', 'ours', 'k1')).toBe(1)
  })

  test('files are listed by path, those of a folder or all, as many as asked', async () => {
    newHouse()
    for (const at of ['b', 'a/2', 'a/1', 'ab', 'Z']) await write(at, `of ${at}`, 'k')
    await write('b', 'größer', 'k2')
    const paths = async (folder?: string, limit = 10): Promise<readonly string[]> => {
      const under = folder === undefined ? undefined : path(folder)
      return (await listFiles(db, house, { folder: under, limit })).map((file) => file.path)
    }
    expect(await paths()).toEqual(['Z', 'a/1', 'a/2', 'ab', 'b'])
    expect(await paths('a')).toEqual(['a/1', 'a/2'])
    expect(await paths(undefined, 2)).toEqual(['Z', 'a/1'])
    const [last] = (await listFiles(db, house, { folder: undefined, limit: 10 })).slice(-1)
    expect(last).toMatchObject({ path: 'b', version: 2, bytes: 8, authorId: author })
  })

  test('writers of one file queue: each change is made on top of the one before', async () => {
    newHouse()
    await write('n', '', 'k')
    const append = (n: number): Promise<void> =>
      db.transaction(async (tx) => {
        const effect = { houseId: house, authorId: author, effectKey: `append ${n}` }
        const files = volumeWorkspace(tx, effect)
        const before = await files.read('n')
        if (typeof before !== 'string') throw new Error('no file')
        await files.write('n', `${before}${n}`)
      })
    await Promise.all([1, 2, 3, 4, 5].map(append))
    const written = await contentOf('n')
    expect(written?.split('').toSorted().join('')).toBe('12345')
    expect((await readFile(db, house, path('n')))?.version).toBe(6)
  })

  test('every function runs inside an open transaction', async () => {
    newHouse()
    const at = { houseId: house, path: path('a'), authorId: author }
    await db.transaction(async (tx) => {
      await lockFile(tx, house, at.path)
      await writeFile(tx, { ...at, effectKey: '1', content: 'x' })
      expect((await readFile(tx, house, at.path))?.content).toBe('x')
      expect((await listFiles(tx, house, { folder: undefined, limit: 1 })).length).toBe(1)
      await deleteFile(tx, { ...at, effectKey: '2' })
    })
  })

  test('paths and contents that the rules refuse write nothing', async () => {
    newHouse()
    await db.transaction(async (tx) => {
      const files = volumeWorkspace(tx, { houseId: house, authorId: author, effectKey: 'k' })
      expect(await files.read('../a')).toMatchObject({ error: 'invalid_path' })
      expect(await files.write('/a', 'x')).toMatchObject({ error: 'invalid_path' })
      for (const content of ['a\0b', '\uDC00', 'x'.repeat(MAX_FILE_BYTES + 1)]) {
        expect(await files.write('a', content)).toMatchObject({ error: 'invalid_arguments' })
      }
      expect(await files.write('b', 'x'.repeat(MAX_FILE_BYTES))).toBeUndefined()
    })
    expect(
      (await listFiles(db, house, { folder: undefined, limit: 9 })).map((one) => one.path),
    ).toEqual(['b'])
  })

  test('a reading tool reads, and cannot write', async () => {
    newHouse()
    await write('a', 'x', 'k')
    const files = readableVolume(db, house)
    expect(await files.read('a')).toBe('x')
    expect(await files.read('b')).toBeUndefined()
    expect(await files.read('..')).toMatchObject({ error: 'invalid_path' })
    await expect(files.write('a', 'y')).rejects.toThrow('a reading tool wrote a')
  })
})
