// Classes of SQLSTATE: bad data, broken constraint, too large for the engine.
const DATA_CLASSES = ['22', '23', '54']

/** True when the engine refused what it was given, so that trying again cannot help; false for a dead or busy engine. */
export function isRefusedData(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return false
  return DATA_CLASSES.includes(error.code.slice(0, 2))
}
