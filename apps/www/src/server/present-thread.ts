import type { ThreadDetail } from '@arbe/core/threads/threads'
import type { Models } from '@arbe/core/models/model'
import type { Thread } from '@arbe/sdk/api'

/** A thread as its readers get it: each bot with the model it would speak by. */
export function presentThread(thread: ThreadDetail, models: Models): Thread {
  return {
    ...thread,
    people: [...thread.people],
    formerHandles: [...thread.formerHandles],
    bots: thread.bots.map(({ id, name, handle, description, mode, muted, mutedUntil, model }) => {
      const wanted = model === '' ? models.defaultName : model
      const demo = models.find(wanted)?.demo === true
      return {
        id,
        name,
        handle,
        description,
        mode,
        muted,
        mutedUntil: muted ? mutedUntil : null,
        model: wanted,
        demo,
      }
    }),
  }
}
