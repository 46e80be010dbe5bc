import type { Thread } from '@arbe/sdk'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { focusOnShow } from '../shell/focus-on-show.ts'
import { type Choice, choices, insertMention, typedName } from './mention-choice.ts'

export interface ComposerOptions {
  readonly thread: Thread
  readonly initial: string
  readonly onChange: (text: string) => void
  /** True: the field is emptied. */
  readonly onSubmit: (text: string) => boolean
  readonly onEscape: () => void
}

export interface UsedComposer {
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly offered: readonly Choice[]
  readonly picked: number
  readonly change: (text: string, caret: number) => void
  readonly moveCaret: (caret: number) => void
  readonly pick: (handle: string) => void
  readonly submit: () => void
  readonly onKey: (event: KeyboardEvent) => void
}

/** The text being written, the names offered for it, and what the keys do. */
export function useComposer(options: ComposerOptions): UsedComposer {
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(options.initial)
  const [caret, setCaret] = useState(options.initial.length)
  const [picked, setPicked] = useState(0)
  const [isClosed, setClosed] = useState(false)
  useEffect(() => focusOnShow(area.current), [])
  const typed = typedName(text, caret)
  const offered = typed === undefined || isClosed ? [] : choices(options.thread, typed.name)

  function change(value: string, at: number): void {
    setText(value)
    setCaret(at)
    setPicked(0)
    setClosed(false)
    options.onChange(value)
  }

  function pick(handle: string): void {
    if (typed === undefined) return
    const next = insertMention(text, typed, handle)
    change(next.text, next.caret)
    // The new text is in the field only after it was drawn.
    requestAnimationFrame(() => area.current?.setSelectionRange(next.caret, next.caret))
    area.current?.focus()
  }

  function submit(): void {
    const said = text.trim()
    if (said === '') return
    if (options.onSubmit(said)) change('', 0)
  }

  function onKey(event: KeyboardEvent): void {
    // An input method's Enter chooses a character and sends nothing.
    if (event.nativeEvent.isComposing) return
    const act = keyAction(event, offered.length)
    if (act === undefined) return
    event.preventDefault()
    switch (act) {
      case 'next':
        return setPicked((picked + 1) % offered.length)
      case 'previous':
        return setPicked((picked + offered.length - 1) % offered.length)
      case 'pick':
        return pick(offered[picked]?.handle ?? '')
      case 'close':
        return setClosed(true)
      case 'submit':
        return submit()
      case 'escape':
        return options.onEscape()
    }
  }

  return { area, text, offered, picked, change, moveCaret: setCaret, pick, submit, onKey }
}

type KeyAction = 'next' | 'previous' | 'pick' | 'close' | 'submit' | 'escape'

function keyAction({ key, shiftKey }: KeyboardEvent, offered: number): KeyAction | undefined {
  const isOffering = offered > 0
  switch (key) {
    case 'ArrowDown':
      return isOffering ? 'next' : undefined
    case 'ArrowUp':
      return isOffering ? 'previous' : undefined
    case 'Tab':
      return isOffering && !shiftKey ? 'pick' : undefined
    case 'Enter':
      if (isOffering) return 'pick'
      return shiftKey ? undefined : 'submit'
    case 'Escape':
      return isOffering ? 'close' : 'escape'
    default:
      return undefined
  }
}
