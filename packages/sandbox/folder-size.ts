import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that the files below a folder take on the disk. Follows no link; what vanishes meanwhile counts nothing. */
export async function folderSize(folder: string): Promise<number> {
  let bytes = 0
  const open = [folder]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const entry of await entriesOf(path)) {
      const at = join(path, entry.name)
      if (entry.isDirectory()) open.push(at)
      else bytes += await bytesOf(at)
    }
  }
  return bytes
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (!isCode(error, 'EACCES')) return noneIfGone(error, [])
    // A folder closed to its owner would be a place to hide in.
    await chmod(folder, 0o700)
    return await readdir(folder, { withFileTypes: true })
  }
}

async function bytesOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).blocks * BLOCK
  } catch (error) {
    return noneIfGone(error, 0)
  }
}

const BLOCK = 512

function noneIfGone<Nothing>(error: unknown, nothing: Nothing): Nothing {
  if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return nothing
  throw error
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
