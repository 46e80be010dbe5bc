import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderSize } from './folder-size.ts'

test('a folder is as large as its files, however deep and closed, and not as what its links lead to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-size-'))
  const inner = join(folder, 'a/b')
  await mkdir(inner, { recursive: true })
  const before = await folderSize(folder)
  await writeFile(join(inner, 'file'), Buffer.alloc(1 << 20, 1))
  await symlink('/usr', join(folder, 'elsewhere'))
  await chmod(inner, 0o000)
  const grown = (await folderSize(folder)) - before
  expect(grown).toBeGreaterThanOrEqual(1 << 20)
  expect(grown).toBeLessThan(2 << 20)
  expect(await folderSize(join(folder, 'none'))).toBe(0)
  await rm(folder, { recursive: true })
})
