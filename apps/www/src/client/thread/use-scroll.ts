import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** How close to the end counts as reading along: then the end stays in sight. */
const NEAR = 120

export interface ScrollOptions {
  /** The item that stands first: another one means that older ones came in front. */
  readonly first: string | undefined
  readonly hasOlder: boolean
  readonly onOlder: () => void
  /** Everything up to the end is in sight. */
  readonly onEnd: () => void
}

/**
 * Keeps a reader's place. Whoever is at the end sees what comes; whoever reads further up is not moved by what comes at the end, nor
 * by older entries that come in front.
 */
export function useScroll(options: ScrollOptions): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const height = useRef(0)
  const first = useRef(options.first)
  const latest = useRef(options)

  // Runs after every change, since each may change the height. What grew above the reader moves the reader along.
  useLayoutEffect(() => {
    latest.current = options
    const element = box.current
    if (element === null) return
    const grown = element.scrollHeight - height.current
    const isInFront = first.current !== options.first
    if (isAtEnd.current) element.scrollTop = element.scrollHeight
    else if (isInFront) element.scrollTop += grown
    height.current = element.scrollHeight
    first.current = options.first
    if (isAtEnd.current) options.onEnd()
  })

  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const onScroll = (): void => {
      isAtEnd.current = element.scrollHeight - element.clientHeight - element.scrollTop < NEAR
      if (isAtEnd.current) latest.current.onEnd()
      if (element.scrollTop < NEAR && latest.current.hasOlder) latest.current.onOlder()
    }
    // The composer grows, the window or the keyboard changes: the end stays in sight all the same.
    const resized = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight
    })
    resized.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [])

  return box
}
