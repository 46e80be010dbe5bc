const LOCK_NOT_AVAILABLE = '55P03'

/** True when the engine gave up waiting for what another transaction holds. */
export function isHeldByOther(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
}
