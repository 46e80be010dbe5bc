import type { AgentTool, ToolContext } from '../../packages/core/dispatch/tool.ts'
import type { Chance } from './chance.ts'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

/** Every time a tool was set to work on a call. A call is known by the id among its arguments, which no other call has. */
export interface ToolRun {
  readonly tool: 'look' | 'note' | 'send'
  readonly id: string
  readonly at: number
  readonly life: Life
}

export interface CountedTools {
  readonly runs: readonly ToolRun[]
  /** What the outside world has seen, once for each time it happened. */
  readonly effects: readonly string[]
  /** Carries out what an effect asked of its transaction. */
  commit(sql: string, params: readonly unknown[]): void
  toolsOf(life: Life, onRun: OnRun): (ctx: ToolContext) => readonly AgentTool[]
}

type OnRun = (ctx: ToolContext, tool: string) => { end(): void }

/** A tool of each effect, with what they did counted where no worker's death reaches. */
export function createCountedTools(timeline: Timeline, chance: Chance): CountedTools {
  const runs: ToolRun[] = []
  const effects: string[] = []

  async function work(life: Life, signal: AbortSignal): Promise<void> {
    const ms = chance.is(0.1) ? chance.between(2_000, 20_000) : chance.between(0, 300)
    const { promise, resolve } = Promise.withResolvers<void>()
    const callOff = timeline.in(ms, { what: 'tool', owner: life, run: resolve })
    const stop = (): void => {
      callOff()
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    await promise
  }

  return {
    runs,
    effects,
    commit: (_sql, [id]) => void effects.push(String(id)),
    toolsOf: (life, onRun) => (ctx) => {
      const begin = (tool: ToolRun['tool'], args: unknown): string => {
        const id = idIn(args)
        runs.push({ tool, id, at: timeline.now, life })
        return id
      }
      const busy = async (tool: 'look' | 'send', args: unknown, signal: AbortSignal) => {
        const id = begin(tool, args)
        const running = onRun(ctx, tool)
        await work(life, signal)
        if (tool === 'send') effects.push(id)
        await work(life, signal)
        running.end()
        return { text: `${tool} ${id}`, isError: false }
      }
      return [
        {
          ...fieldsOf('look'),
          effect: 'none',
          run: ({ args, signal }) => busy('look', args, signal),
        },
        {
          ...fieldsOf('send'),
          effect: 'once',
          run: ({ args, signal }) => busy('send', args, signal),
        },
        {
          ...fieldsOf('note'),
          effect: 'idempotent',
          async apply(tx, { args }) {
            const id = begin('note', args)
            await tx.query('note', [id])
            return { text: `note ${id}`, isError: false }
          },
        },
        {
          ...fieldsOf('pass'),
          effect: 'none',
          endsTurn: 'passed',
          run: async () => ({ text: 'nothing to add', isError: false }),
        },
      ]
    },
  }
}

function fieldsOf(name: string) {
  const spec = { name, description: '', parameters: { type: 'object' } }
  return { owner: 'simulation', offered: 'always', spec } as const
}

function idIn(args: unknown): string {
  if (typeof args === 'object' && args !== null && 'id' in args) return String(args.id)
  throw new Error('a call of the scripted model has an id')
}
