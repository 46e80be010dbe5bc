import type { Thread } from '@arbe/sdk'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { LiveTurn } from '../house/live-turn.ts'
import { DecisionLine } from './decision-line.tsx'
import { LiveMessage, Message } from './message.tsx'
import { Notice } from './notice.tsx'
import type { Who } from './people.ts'
import type { ThreadItem, ThreadView } from './thread-view.ts'
import { ToolCards } from './tool-cards.tsx'

export interface ThreadItemsProps {
  readonly view: ThreadView
  readonly thread: Thread
  readonly who: (id: string) => Who
  readonly live: LiveTurn | undefined
  readonly older: boolean
  readonly onOlder: () => Promise<void>
  readonly onReply: (seq: number) => void
}

/** How close to the end counts as reading along: then new entries keep the end in sight. */
const NEAR = 120

export function ThreadItems(props: ThreadItemsProps) {
  const { view, older, live } = props
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  // Older entries come in front: the distance to the end stays what it was.
  const fromEnd = useRef(0)

  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    box.scrollTop = following.current
      ? box.scrollHeight
      : box.scrollHeight - box.clientHeight - fromEnd.current
  }, [view.items, live?.text])

  useEffect(() => {
    const box = scroller.current
    if (box === null) return undefined
    const onScroll = (): void => {
      fromEnd.current = box.scrollHeight - box.clientHeight - box.scrollTop
      following.current = fromEnd.current < NEAR
      if (box.scrollTop < NEAR && older) void props.onOlder()
    }
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => box.removeEventListener('scroll', onScroll)
  })

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl px-3 py-4 md:px-5" role="log" aria-live="off">
        {older && (
          <button className="button-quiet mx-auto block" onClick={() => void props.onOlder()}>
            Show older messages
          </button>
        )}
        {view.items.map((item) => (
          <Item key={`${item.type}:${item.seq}`} item={item} {...props} />
        ))}
        {live !== undefined && <LiveMessage who={props.who(live.bot)} text={live.text} />}
      </div>
    </div>
  )
}

function Item({ item, ...props }: ThreadItemsProps & { readonly item: ThreadItem }) {
  switch (item.type) {
    case 'message':
      return <Message item={item} {...props} />
    case 'decision':
      return <DecisionLine item={item} {...props} />
    case 'tools':
      return <ToolCards item={item} who={props.who(item.bot)} />
    case 'notice':
      return <Notice item={item} who={props.who} />
  }
}
