import { memo } from 'react'
import type { LiveTurn } from '../house/live-turn.ts'
import { DecisionLine, NobodyLine } from './decision-line.tsx'
import { openTurn } from './join-turns.ts'
import { Message } from './message.tsx'
import { Notice } from './notice.tsx'
import { OutcomeLine } from './outcome-line.tsx'
import type { Unsent } from './outbox.ts'
import type { ThreadItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'
import { Turn } from './turn.tsx'
import { UnsentMessage } from './unsent-message.tsx'
import type { UsedOutbox } from './use-outbox.ts'
import { useScroll } from './use-scroll.ts'

export interface ThreadItemsProps {
  readonly scene: ThreadScene
  readonly live: LiveTurn | undefined
  readonly outbox: UsedOutbox
  readonly hasOlder: boolean
  readonly onOlder: () => void
  readonly onEnd: () => void
}

export function ThreadItems({ scene, live, outbox, hasOlder, onOlder, onEnd }: ThreadItemsProps) {
  const { items } = scene.view
  const [first] = items
  const box = useScroll({ first: first && keyOf(first), hasOlder, onOlder, onEnd })
  const open = live === undefined ? undefined : openTurn(items, live)
  const shown = open === undefined ? items : [...items.filter(({ seq }) => seq !== open.seq), open]
  return (
    // A region that scrolls can be reached and scrolled with the keyboard.
    <div
      ref={box}
      role="log"
      aria-label="Messages"
      aria-live="off"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else nobody without a pointer can scroll
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
    >
      <div className="mx-auto max-w-3xl px-3 py-4 md:px-5">
        {hasOlder && (
          <button className="button-quiet mx-auto block" onClick={onOlder}>
            Show older messages
          </button>
        )}
        {shown.map((item) => (
          <Item
            key={keyOf(item)}
            item={item}
            scene={scene}
            live={item === open ? live?.text : undefined}
          />
        ))}
        {outbox.unsent.map((unsent: Unsent) => (
          <UnsentMessage key={unsent.key} unsent={unsent} scene={scene} outbox={outbox} />
        ))}
      </div>
    </div>
  )
}

const keyOf = (item: ThreadItem): string =>
  item.type === 'turn' ? item.key : `${item.type}:${item.seq}`

interface ItemProps {
  readonly item: ThreadItem
  readonly scene: ThreadScene
  readonly live?: string | undefined
}

// What streams in changes the last item alone.
const Item = memo(function Item({ item, scene, live }: ItemProps) {
  switch (item.type) {
    case 'message':
      return <Message item={item} scene={scene} />
    case 'turn':
      return <Turn item={item} scene={scene} live={live} />
    case 'decision':
      return <DecisionLine item={item} scene={scene} />
    case 'nobodies':
      return <NobodyLine item={item} scene={scene} />
    case 'outcome':
      return <OutcomeLine item={item} scene={scene} />
    case 'notice':
      return <Notice item={item} scene={scene} />
  }
})
