import { NodeFS } from '@electric-sql/pglite/nodefs'
import { closeSync } from 'node:fs'

type Prepared = ReturnType<NodeFS['init']>
type HostFile = { readonly nfd?: number }

// Of the system interface of WebAssembly; Postgres stops at an fsync that fails, as it must.
const EIO = 29

/**
 * PGlite as it comes never calls fsync on the host: a commit is acknowledged before it is on disk. This gives its file system
 * the missing hook. It reaches into the module's insides, hence the exact pin of the version and a test that counts host
 * fsyncs. Only `fsync` arrives here, `fdatasync` stays empty inside: start with `wal_sync_method=fsync`.
 */
export class DurableNodeFS extends NodeFS {
  readonly #fsync: (file: number) => void
  readonly #open = new Set<number>()

  constructor(folder: string, fsync: (file: number) => void) {
    super(folder)
    this.#fsync = fsync
  }

  override async init(...args: Parameters<NodeFS['init']>): Prepared {
    const prepared = await super.init(...args)
    const { preRun } = prepared.emscriptenOpts
    if (preRun === undefined) throw new Error('this version of PGlite cannot be made durable')
    preRun.push((module) => {
      const files = module.NODEFS.stream_ops
      const { open, close } = files
      files.fsync = (file: HostFile) => this.#sync(file.nfd)
      files.open = (file: HostFile) => {
        open(file)
        if (file.nfd !== undefined) this.#open.add(file.nfd)
      }
      files.close = (file: HostFile) => {
        if (file.nfd !== undefined) this.#open.delete(file.nfd)
        close(file)
      }
    })
    return prepared
  }

  /** An engine that broke closes nothing: its files would stay open as long as this process. */
  abandon(): void {
    for (const file of this.#open) closeSync(file)
    this.#open.clear()
  }

  #sync(file: number | undefined): number {
    if (file === undefined) return 0
    try {
      this.#fsync(file)
      return 0
    } catch {
      return EIO
    }
  }
}
