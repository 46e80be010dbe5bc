import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

import { DatabaseAway } from './database-away.ts'

type Arguments<Method extends 'execProtocolRaw' | 'execProtocolStream'> = Parameters<PGlite[Method]>

/**
 * Postgres inside this process, which may break: after a PANIC, such as a write-ahead log without room, the next statement would
 * never return and hold the whole process with it. So none is let in any more, and `onBroken` is told once.
 */
export class EmbeddedEngine extends PGlite {
  readonly #onBroken: (cause: Error) => void
  #broken: DatabaseAway | undefined

  constructor(options: PGliteOptions, onBroken: (cause: Error) => void) {
    super(options)
    this.#onBroken = onBroken
  }

  override async execProtocolRaw(...args: Arguments<'execProtocolRaw'>): Promise<Uint8Array> {
    if (this.#broken !== undefined) throw this.#broken
    return super.execProtocolRaw(...args)
  }

  override async execProtocolStream(
    ...args: Arguments<'execProtocolStream'>
  ): ReturnType<PGlite['execProtocolStream']> {
    try {
      return await super.execProtocolStream(...args)
    } catch (error) {
      if (this.#broken === undefined && endsTheEngine(error)) {
        this.#broken = new DatabaseAway('the embedded database broke and is being opened again', {
          cause: error,
        })
        this.#onBroken(error)
      }
      throw error
    }
  }
}

function endsTheEngine(error: unknown): error is Error {
  if (!(error instanceof Error) || !('severity' in error)) return false
  return error.severity === 'PANIC' || error.severity === 'FATAL'
}
