import type { CliConfig, Environment } from './config.ts'
import type { ExitCode } from './exit.ts'
import type { Output } from './output.ts'

export interface CommandContext {
  readonly env: Environment
  readonly config: CliConfig
  readonly output: Output
}

export type OptionValue = string | boolean | undefined
export type Options = Readonly<Record<string, OptionValue>>

/** Undefined: it went well. */
export type Action = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<ExitCode | undefined>
