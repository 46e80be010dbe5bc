/**
 * Whatever a statement can run on: a pool, an embedded database, or an open transaction of either.
 * Every store function takes one as its first argument: a plain query inside an open transaction would wait for ever on
 * the embedded engine, which has one session.
 */
export interface Executor {
  /** Rows as plain objects: int8 as number, jsonb parsed, timestamptz as Date. Pass jsonb as text and cast it (`$1::jsonb`). */
  query<Row extends object>(sql: string, params?: readonly unknown[]): Promise<readonly Row[]>
}

export interface Database extends Executor {
  readonly engine: 'pglite' | 'postgres'
  /** Begins, runs, commits; a throw rolls back. Never held across a model or network call. */
  transaction<Result>(work: (tx: Executor) => Promise<Result>): Promise<Result>
  /** Several statements in one text and one transaction, no parameters, no rows: migrations. */
  exec(sql: string): Promise<void>
  /** The callback gets each NOTIFY payload; a lost connection is reopened by itself and loses hints only. */
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>
  /** A second session for lease renewal where the engine has one; the same session on the embedded engine. */
  readonly renewals: Executor
  close(): Promise<void>
}
