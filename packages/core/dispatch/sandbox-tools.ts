import { z } from 'zod'
import { requireMembers } from '../threads/turn-rights.ts'
import type { ToolOutcome } from '../threads/turn.ts'
import { boundSandbox } from './environment-box.ts'
import { type ExecResult, SandboxError, type SandboxRuntimes } from './sandbox.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { toolFailure, toParameters, withArgs } from './tool-args.ts'

export function sandboxTools(ctx: ToolContext, runtimes: SandboxRuntimes): readonly AgentTool[] {
  return [runCommandTool(ctx, runtimes)]
}

const DEFAULT_SECONDS = 120
const MOST_SECONDS = 300
/** Of each of stdout and stderr: together they fit a tool's result. */
const OUTPUT_BYTES = 31 * 1024

const CommandArgs = z.object({
  command: z.string().min(1).max(65_536).describe('What bash is to run.'),
  cwd: z.string().optional().describe('A folder below the working folder, to run it in.'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(MOST_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe('After so many seconds it is ended, with all that it started.'),
})

function runCommandTool(ctx: ToolContext, runtimes: SandboxRuntimes): AgentTool {
  return {
    owner: 'sandbox-tools',
    offered: 'always',
    effect: 'once',
    spec: {
      name: 'run_command',
      description:
        'Run one shell command in the sandbox of this thread and get what it printed and its exit code. Your turn waits for it. Files stay there for the next command; processes do not: what it leaves in the background is ended with it. Nobody can answer a prompt.',
      parameters: toParameters(CommandArgs),
    },
    run: ({ args, signal }) =>
      withArgs(CommandArgs, args, async ({ command, cwd, timeout_seconds }) => {
        const { db, houseId, threadId, decision } = ctx
        const bound = await boundSandbox(db, runtimes, { houseId, threadId })
        if (bound.status === 'nowhere') return nowhereToRun(bound.because)
        await requireMembers(db, ctx)
        const exec = bound.sandbox.exec(command, {
          timeoutMs: timeout_seconds * 1_000,
          maxOutput: OUTPUT_BYTES,
          signal,
          label: { scope: threadId, order: decision },
          ...(cwd !== undefined && { cwd }),
        })
        return await exec.then(toOutcome, toFailure)
      }),
  }
}

// Not an error: the bot can say so, and answer what it can without.
const nowhereToRun = (because: string): ToolOutcome => ({
  text: `There is nowhere to run commands: ${because}. Answer without, or say what is missing.`,
  isError: false,
})

function toOutcome(result: ExecResult): ToolOutcome {
  const parts = [sayEnd(result), part('stdout', result.stdout), part('stderr', result.stderr)]
  return { text: parts.filter((text) => text !== '').join('\n'), isError: false }
}

function sayEnd({ exitCode, timedOut, aborted, diskFull, ms }: ExecResult): string {
  const seconds = `${(ms / 1_000).toFixed(1)} s`
  if (timedOut) return `ended after ${seconds}, its time limit`
  if (diskFull)
    return `ended after ${seconds}: the sandbox holds more than it may. Delete files first`
  if (aborted) return `stopped after ${seconds}`
  return `exit code ${exitCode}, ${seconds}`
}

const part = (name: string, text: string): string =>
  text === '' ? '' : `--- ${name}\n${text.replace(/\n$/, '')}`

function toFailure(error: unknown): ToolOutcome {
  if (error instanceof SandboxError) return toolFailure(error.code, error.message)
  throw error
}
