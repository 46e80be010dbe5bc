/** The database is out of reach for now, or has no room: the same request may work in a moment. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
}

// Classes and codes of SQLSTATE: no connection, no room or memory left, shutting down, ended by a limit of time, a rival that
// went first, read-only for now; and what the network says of a server that is gone.
const AWAY =
  /^(?:08|53|57P|57014|25P03|25006|40001|40P01|55P03|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/

/** True when trying again may help; false for a statement that is wrong, and for a bug. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  return error instanceof Error && 'code' in error && AWAY.test(String(error.code))
}
