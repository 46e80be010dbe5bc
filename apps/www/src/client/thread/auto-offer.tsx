import type { Thread } from '@arbe/sdk'
import { useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { useDismissed } from '../shell/use-dismissed.ts'

/** A thread of one person with one bot has grown: shall the bot go on answering everything? */
export function AutoOffer({ thread }: { readonly thread: Thread }) {
  const store = useStore()
  const [isDismissed, dismiss] = useDismissed(`auto:${thread.id}`)
  const [error, setError] = useState<string>()
  if (!thread.offerAuto || isDismissed) return null
  const always = thread.bots.filter(({ mode }) => mode === 'always')

  async function change(): Promise<void> {
    const modes = always.map(({ id }) => ({ bot: id, mode: 'auto' as const }))
    try {
      store.showThread(await store.client.threads.edit(thread.id, { modes }))
    } catch (cause) {
      setError(messageOf(cause))
    }
  }

  return (
    <p className="bg-warn-tint flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm md:px-5">
      <span className="min-w-0 flex-1">
        {error ?? `${always.map(({ name }) => name).join(', ')} still answers every message here.`}
      </span>
      <button className="button px-2 py-0.5" onClick={() => void change()}>
        Answer only when it fits
      </button>
      <button className="button-quiet" onClick={dismiss}>
        Leave it
      </button>
    </p>
  )
}
