import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first of these names found in PATH or in the extra folders, which are asked first. */
export function findProgram(
  names: readonly string[],
  extraFolders: readonly string[] = [],
): string | undefined {
  const folders = [...extraFolders, ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => isExecutable(path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
