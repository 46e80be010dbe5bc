import type { Models } from '@arbe/core/models/model'
import { NO_USAGE } from '@arbe/sdk'
import type { Hold } from './lease-keeper.ts'

/** The models while the thread is ours: afterwards nothing goes out to them any more. */
export function modelsWhile(hold: Pick<Hold, 'isOurs'>, models: Models): Models {
  return {
    ...models,
    find(name) {
      const model = models.find(name)
      if (model === undefined) return undefined
      return {
        ...model,
        call: async (request, options) =>
          hold.isOurs() ? await model.call(request, options) : NOT_ASKED,
      }
    },
  }
}

const NOT_ASKED = { status: 'aborted', partial: '', usage: NO_USAGE, cost: 0 } as const
