/** Names one box of one runtime; JSON, stored, without secrets. */
export interface SandboxRef {
  readonly runtime: string
  readonly id: string
}

/** What one environment gives to everything that runs in its box. */
export interface BoxMeans {
  /** Variables and secrets alike: the process sees both. */
  readonly variables: Readonly<Record<string, string>>
  readonly network: BoxNetwork
}

/** `none`: nothing outside the box. `open`: whatever this machine reaches, its own services too. */
export type BoxNetwork = 'none' | 'open'

export interface ExecOptions {
  readonly timeoutMs: number
  /** Bytes kept of each of stdout and stderr: head and tail. */
  readonly maxOutput: number
  readonly signal: AbortSignal
  /** Inside the box, relative to its working folder, which is the default. */
  readonly cwd?: string
  readonly label: ExecLabel
  /** Told of output as it comes; what it throws ends the command. */
  readonly onOutput?: (text: string) => void
}

/**
 * Whose command this is. A command kills what still runs under its scope with the same order or a lower one, and is refused beside a
 * higher one: a worker that stood still has no say beside its successor.
 */
export interface ExecLabel {
  /** The thread. */
  readonly scope: string
  /** The decision. */
  readonly order: number
}

/** A command that fails is a result too. */
export interface ExecResult {
  /** 128 and the signal's number where a signal ended it. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly timedOut: boolean
  readonly aborted: boolean
  /** Ended because the box held more than it may. */
  readonly diskFull: boolean
  readonly ms: number
}

/** One box, as one environment uses it. Throws SandboxError for what is not the command's own failure. */
export interface Sandbox {
  readonly ref: SandboxRef
  /** Ends with everything the command has started: nothing stays behind in the background. */
  exec(command: string, options: ExecOptions): Promise<ExecResult>
  /** Links resolve in the box; a link out of its working folder is an `invalid_path`. */
  readFile(path: string, options: { readonly maxBytes: number }): Promise<Uint8Array>
  writeFile(path: string, data: Uint8Array): Promise<void>
}

export interface SandboxRuntime {
  readonly name: string
  /** Runs a real command in a real box; asked once at the start. */
  probe(): Promise<RuntimeHealth>
  create(request: { readonly labels: Readonly<Record<string, string>> }): Promise<SandboxRef>
  /** Undefined: there is no such box any more. */
  resolve(ref: SandboxRef, means: BoxMeans): Promise<Sandbox | undefined>
  /** Kills what runs in it. What is gone already is a success. */
  destroy(ref: SandboxRef): Promise<void>
  list(): Promise<readonly ListedBox[]>
}

/** By name: what an environment's provider can be here. */
export type SandboxRuntimes = ReadonlyMap<string, SandboxRuntime>

export interface ListedBox {
  readonly ref: SandboxRef
  readonly labels: Readonly<Record<string, string>>
}

export type RuntimeHealth =
  | { readonly status: 'ready'; readonly isolation: 'namespaces' | 'remote' | 'none' }
  | {
      readonly status: 'broken'
      /** What the runtime said. */
      readonly reason: string
      /** What to do about it, in one sentence. */
      readonly remedy: string
    }

export type SandboxErrorCode =
  | 'file_not_found'
  | 'invalid_path'
  | 'not_a_file'
  | 'too_large'
  | 'superseded'
  | 'unavailable'

export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly code: SandboxErrorCode
  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
