import { randomUUID } from 'node:crypto'
import type {
  BoxMeans,
  ExecOptions,
  ExecResult,
  RuntimeHealth,
  SandboxRuntime,
} from '../../packages/core/dispatch/sandbox.ts'

export interface FakeSandboxes extends SandboxRuntime {
  /** What was run, in which box and with what. */
  readonly ran: { id: string; command: string; means: BoxMeans; options: ExecOptions }[]
  /** Boxes there are. */
  readonly boxes: Set<string>
  health: RuntimeHealth
  answer: (command: string) => ExecResult | Error
}

/** Boxes without anything in them: what a command answers is up to the test. */
export function fakeSandboxes(name = 'local'): FakeSandboxes {
  const boxes = new Set<string>()
  const fake: FakeSandboxes = {
    name,
    ran: [],
    boxes,
    health: { status: 'ready', isolation: 'none' },
    answer: () => ended({}),
    probe: async () => fake.health,
    async create() {
      const id = randomUUID()
      boxes.add(id)
      return { runtime: name, id }
    },
    async resolve(ref, means) {
      if (!boxes.has(ref.id)) return undefined
      return {
        ref,
        async exec(command, options) {
          fake.ran.push({ id: ref.id, command, means, options })
          const answer = fake.answer(command)
          if (answer instanceof Error) throw answer
          return answer
        },
        readFile: () => Promise.reject(new Error('nothing is in it')),
        writeFile: () => Promise.reject(new Error('nothing can be in it')),
      }
    },
    async destroy({ id }) {
      boxes.delete(id)
    },
    list: async () => [...boxes].map((id) => ({ ref: { runtime: name, id }, labels: {} })),
  }
  return fake
}

export function ended(result: Partial<ExecResult>): ExecResult {
  return {
    exitCode: 0,
    stdout: '',
    stderr: '',
    truncated: false,
    timedOut: false,
    aborted: false,
    diskFull: false,
    ms: 1_234,
    ...result,
  }
}
