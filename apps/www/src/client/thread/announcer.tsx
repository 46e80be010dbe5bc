import { headOfText } from '@arbe/sdk/cut-text'
import { useState } from 'react'
import type { ThreadScene } from './thread-scene.ts'

const SAID = 240

/** Tells a screen reader each finished message of somebody else, once and politely; the log itself is silent. */
export function Announcer({ scene: { view, who, me } }: { readonly scene: ThreadScene }) {
  const newest = [...view.messages.values()].at(-1)
  const [openedAt] = useState(newest?.seq ?? 0)
  const isNews = newest !== undefined && newest.seq > openedAt && newest.author !== me
  return (
    <p aria-live="polite" className="sr-only">
      {isNews && `${who(newest.author).name}: ${headOfText(newest.text, SAID)}`}
    </p>
  )
}
