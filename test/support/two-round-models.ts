import type { Model, Models } from '../../packages/core/models/model.ts'
import { calls, fakeModel, hangs, says } from './fake-model.ts'

export const LOG_FILE = 'log.txt'
export const LOG_BEFORE = 'end\n'
/** Patched once; twice would be one line more. */
export const LOG_AFTER = 'a line\nend\n'

export interface TwoRoundOptions {
  /** Told of each request of a turn before it is answered; in silence it waits until it is aborted. */
  readonly onCall: (call: { readonly threadId: string; readonly round: number }) => void
  readonly silentFrom?: number | undefined
  /** A command takes the place of the patch. */
  readonly isCommand?: boolean | undefined
}

/** Every bot patches the log and reads it, then says so; a director picks Ada. It has a price, so that budgets are looked at. */
export function twoRoundModels({
  onCall,
  silentFrom = Infinity,
  isCommand = false,
}: TwoRoundOptions): Models {
  const model: Model = {
    ...fakeModel(),
    price: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    async call(request, options) {
      const { messages, forceTool, sessionId = '' } = request
      if (options.signal.aborted) return hangs()(request, options)
      if (forceTool !== undefined) return calls([forceTool, { pick: 'Ada', reason: 'her file' }])
      const round = messages.filter(({ role }) => role === 'assistant').length
      const [threadId = ''] = sessionId.split(':')
      onCall({ threadId, round })
      if (round >= silentFrom) return hangs()(request, options)
      if (round > 0) return says('The line is in.')
      return isCommand ? COMMAND : PATCH_AND_READ
    },
  }
  return { find: () => model, defaultName: model.id, names: [model.id] }
}

const PATCH_AND_READ = calls(
  ['patch_file', { path: LOG_FILE, old_str: 'end', new_str: 'a line\nend' }],
  ['read_file', { path: LOG_FILE }],
)

const COMMAND = calls(['run_command', { command: './deploy' }])
