import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
}

/**
 * Keeps every other process out of the folder: two embedded databases on one folder would destroy each other's rows. The lock
 * is the operating system's, through SQLite, so it ends with its process, kill -9 included. Nothing else may open and close
 * `lock.sqlite` in the holding process, a copy of the folder neither: closing any handle of a file drops the process's locks
 * on it.
 */
export function lockDataFolder(folder: string): Disposable {
  const holderFile = join(folder, 'lock-holder.txt')
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    const holder = readHolder(holderFile)
    throw new DataFolderInUse(
      `the data folder ${folder} is in use by ${holder}: stop that one, or choose another folder`,
      { cause },
    )
  }
  // A file of its own, since the locked one cannot be read.
  writeFileSync(holderFile, `process ${process.pid} since ${new Date().toISOString()}`)
  return { [Symbol.dispose]: () => lock.close() }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'another process'
  }
}
