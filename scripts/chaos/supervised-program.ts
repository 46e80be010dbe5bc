import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type RunningArbe, startArbe } from '../../test/support/run-arbe.ts'

export interface ProgramOrder {
  /** Also the name of its log. */
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

export interface Standstill {
  readonly from: number
  readonly until: number
}

const FORBIDDEN =
  /unhandledRejection|UnhandledPromise|uncaughtException|UncaughtException|MaxListenersExceeded/g

/** One process of arbe that is started again whenever it ends. */
export class SupervisedProgram {
  readonly #order: ProgramOrder
  readonly #keeping: Promise<void>
  readonly #complaints: string[] = []
  readonly #standstills: Standstill[] = []
  #running: RunningArbe
  #starts = 0
  #stillSince: number | undefined
  #isExpected = false
  #isClosing = false
  /** What it printed when it served for the first time. */
  readonly greeting: Promise<string>

  constructor(order: ProgramOrder) {
    this.#order = order
    this.#running = this.#start()
    this.greeting = this.#running.stdoutWith('\n')
    // Nobody waits for a worker's, which may be killed before.
    this.greeting.catch(() => undefined)
    this.#keeping = this.#keep()
  }

  get name(): string {
    return this.#order.name
  }

  get pid(): number | undefined {
    const { child } = this.#running
    return child.exitCode === null && child.signalCode === null ? child.pid : undefined
  }

  /** How often it was started. */
  get starts(): number {
    return this.#starts
  }

  /** Deaths that nobody asked for, and what a log may not say. */
  get complaints(): readonly string[] {
    return this.#complaints
  }

  /** When it stood still, by this process's clock. */
  get standstills(): readonly Standstill[] {
    const since = this.#stillSince
    return since === undefined
      ? this.#standstills
      : [...this.#standstills, { from: since, until: Infinity }]
  }

  /** SIGKILL; the next one is started at once. */
  kill(): void {
    this.#isExpected = true
    this.#endStandstill()
    this.#running.child.kill('SIGKILL')
  }

  standStill(isStill: boolean): void {
    this.#endStandstill()
    this.#running.child.kill(isStill ? 'SIGSTOP' : 'SIGCONT')
    if (isStill) this.#stillSince = Date.now()
  }

  /** SIGTERM: everything is to end by itself, without a complaint. */
  async close(): Promise<void> {
    // Before it serves it does not know the signal yet.
    await this.#running.stdoutWith('\n').catch(() => undefined)
    this.#isClosing = true
    this.#running.child.kill('SIGTERM')
    await this.#keeping
  }

  /** However it goes: nothing is left behind. */
  async destroy(): Promise<void> {
    this.#isClosing = true
    this.kill()
    await this.#keeping
  }

  #start(): RunningArbe {
    this.#starts += 1
    this.#isExpected = false
    return startArbe([...this.#order.args, '--json'], this.#order.env)
  }

  async #keep(): Promise<void> {
    for (;;) {
      const started = Date.now()
      const { code, stdout, stderr } = await this.#running.ended
      await appendFile(join(this.#order.folder, `${this.name}.log`), stderr)
      for (const bad of stderr.match(FORBIDDEN) ?? []) this.#complain(`its log says "${bad}"`)
      // One that loses its database before it serves says so and ends; whoever started it starts it again.
      const isFair =
        this.#isExpected || (this.#isClosing ? code === 0 : stdout === '' && code === 1)
      if (!isFair) this.#complain(`it ended by itself with ${code}: ${endOf(stderr)}`)
      if (this.#isClosing) return
      // One that cannot start must not be started a thousand times.
      if (!this.#isExpected && Date.now() - started < 1_000) await setTimeout(500)
      this.#running = this.#start()
    }
  }

  #complain(text: string): void {
    this.#complaints.push(`R-56: ${this.name}: ${text}`)
  }

  #endStandstill(): void {
    if (this.#stillSince === undefined) return
    this.#standstills.push({ from: this.#stillSince, until: Date.now() })
    this.#stillSince = undefined
  }
}

function endOf(text: string): string {
  return text.trimEnd().split('\n').slice(-12).join('\n').slice(-1_500)
}
