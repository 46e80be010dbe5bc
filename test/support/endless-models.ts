import { NO_USAGE } from '@arbe/sdk'
import type { Models } from '../../packages/core/models/model.ts'
import { fakeModel, says } from './fake-model.ts'
import type { TwoRoundOptions } from './two-round-models.ts'

/** Every bot names both bots of the arranged house in all that it says: a loop that no bot ends. */
export function endlessModels({ onCall }: Pick<TwoRoundOptions, 'onCall'>): Models {
  const model = {
    ...fakeModel((request) => {
      const [threadId = ''] = (request.sessionId ?? '').split(':')
      onCall({ threadId, round: 0 })
      return Promise.resolve(says('@ada @bo go on'))
    }),
    price: NO_USAGE,
  }
  return { find: () => model, defaultName: model.id, names: [model.id] }
}
