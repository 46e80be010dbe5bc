import type { Database, Executor } from '../../packages/core/db/executor.ts'

/** Told right before a statement goes to the engine, and right after its answer came; what it awaits holds the caller up. */
export type Watch = (when: When, statement: Statement) => void | Promise<void>
export type When = 'before' | 'after'

export interface Statement {
  /** 1, 2, 3 … in the order in which they began. */
  readonly number: number
  readonly text: string
}

/** The database, with everything that goes through it numbered; a transaction's begin and commit count too. Renewals count apart. */
export function watchDatabase(
  db: Database,
  { statements, renewals }: { readonly statements: Watch; readonly renewals: Watch },
): Database {
  const next = counter()
  return {
    ...db,
    ...watchExecutor(db, { next, watch: statements }),
    renewals: watchExecutor(db.renewals, { next: counter(), watch: renewals }),
    async transaction(work) {
      const begin = next('begin')
      await statements('before', begin)
      let commit: Statement | undefined
      const result = await db.transaction(async (tx) => {
        await statements('after', begin)
        const done = await work(watchExecutor(tx, { next, watch: statements }))
        commit = next('commit')
        await statements('before', commit)
        return done
      })
      if (commit !== undefined) await statements('after', commit)
      return result
    },
  }
}

type Next = (text: string) => Statement

function counter(): Next {
  let number = 0
  return (text) => ({ number: (number += 1), text: text.replaceAll(/\s+/g, ' ').trim() })
}

function watchExecutor(
  executor: Executor,
  { next, watch }: { readonly next: Next; readonly watch: Watch },
): Executor {
  return {
    async query<Row extends object>(sql: string, params?: readonly unknown[]) {
      const statement = next(sql)
      await watch('before', statement)
      const rows = await executor.query<Row>(sql, params)
      await watch('after', statement)
      return rows
    },
  }
}
