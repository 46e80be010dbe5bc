import type { ActorId, HouseId } from '@arbe/sdk'
import type { Executor } from '../db/executor.ts'
import { isVolumePath, MAX_PATH_BYTES, type VolumePath } from './volume-path.ts'
import { lockFile, readFile, writeFile } from './volumes.ts'
import type { ToolFailure, Workspace } from './workspace-tools.ts'

export const MAX_FILE_BYTES = 1024 * 1024

export interface VolumeEffect {
  readonly houseId: HouseId
  readonly authorId: ActorId
  readonly effectKey: string
}

/** The house's files as the workspace tools see them, inside one transaction: what is read cannot change before it is written. */
export function volumeWorkspace(tx: Executor, effect: VolumeEffect): Workspace {
  const { houseId } = effect
  return {
    async read(path) {
      const checked = checkPath(path)
      if (typeof checked === 'object') return checked
      await lockFile(tx, houseId, checked)
      return (await readFile(tx, houseId, checked))?.content
    },
    async write(path, content) {
      const checked = checkPath(path)
      if (typeof checked === 'object') return checked
      const refused = refuseContent(content)
      if (refused !== undefined) return refused
      await writeFile(tx, { ...effect, path: checked, content })
      return undefined
    },
  }
}

/** The same files for a tool that changes nothing. */
export function readableVolume(executor: Executor, houseId: HouseId): Workspace {
  return {
    async read(path) {
      const checked = checkPath(path)
      if (typeof checked === 'object') return checked
      return (await readFile(executor, houseId, checked))?.content
    },
    async write(path) {
      throw new Error(`a reading tool wrote ${path}`)
    },
  }
}

export function checkPath(path: string): VolumePath | ToolFailure {
  if (isVolumePath(path)) return path
  const detail = `a path is relative, in NFC, at most ${MAX_PATH_BYTES} bytes, without "..", "." or empty parts`
  return { status: 'error', error: 'invalid_path', detail }
}

function refuseContent(content: string): ToolFailure | undefined {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES) {
    return invalid(`a file holds at most ${MAX_FILE_BYTES} bytes`)
  }
  if (content.includes('\0') || !content.isWellFormed()) return invalid('a file holds text only')
  return undefined
}

function invalid(detail: string): ToolFailure {
  return { status: 'error', error: 'invalid_arguments', detail }
}
