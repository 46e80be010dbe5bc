/** A path that passed the rules: it names one file and cannot leave its root. */
export type VolumePath = string & { readonly __brand: 'VolumePath' }

/** A file is spelled in one way only, so nothing is normalised: what the rules refuse names no file. */
export function isVolumePath(path: string): path is VolumePath {
  const spelledOnce = path.normalize('NFC') === path && path.isWellFormed()
  if (!spelledOnce || path.includes('\0') || Buffer.byteLength(path) > MAX_PATH_BYTES) return false
  // An absolute path begins with an empty segment.
  return !path.split('/').some((segment) => NO_NAMES.includes(segment))
}

export const MAX_PATH_BYTES = 1_024
const NO_NAMES = ['', '.', '..']
