import type { Thread } from '@arbe/sdk'
import { newKey } from '@arbe/sdk/client'
import { mentionSpans } from '@arbe/sdk/mentions'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { keepDraft, takeDraft } from './drafts.ts'
import { choices, insertMention, typedName } from './mention-choice.ts'
import { MentionPicker } from './mention-picker.tsx'
import type { ThreadView } from './thread-view.ts'

export interface ComposerProps {
  readonly thread: Thread
  readonly view: ThreadView
  readonly replyTo: number | undefined
  readonly onReplyTo: (seq: number | undefined) => void
}

const TYPING_EVERY_MS = 3_000

export function Composer({ thread, view, replyTo, onReplyTo }: ComposerProps) {
  const store = useStore()
  const [text, setText] = useState(() => takeDraft(thread.id))
  const [caret, setCaret] = useState(0)
  const [picked, setPicked] = useState(0)
  const [error, setError] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const saidTyping = useRef(0)
  // One key a message: however often it is sent, it is stored once.
  const key = useRef(newKey())

  const typed = typedName(text, caret)
  const offered = typed === undefined ? [] : choices(thread, typed.name)
  const unknown = useMemo(
    () =>
      mentionSpans(text, [...thread.bots, ...thread.people]).flatMap((span) =>
        span.kind === 'unknown' && span.end < caret ? [span.name] : [],
      ),
    [text, thread, caret],
  )

  function change(value: string, at: number): void {
    setText(value)
    setCaret(at)
    setPicked(0)
    keepDraft(thread.id, value)
    if (value !== '' && Date.now() - saidTyping.current > TYPING_EVERY_MS) {
      saidTyping.current = Date.now()
      void store.client.threads.typing(thread.id).catch(() => undefined)
    }
  }

  function pick(handle: string): void {
    if (typed === undefined) return
    const next = insertMention(text, typed, handle)
    change(next.text, next.caret)
    requestAnimationFrame(() => area.current?.setSelectionRange(next.caret, next.caret))
    area.current?.focus()
  }

  async function send(): Promise<void> {
    const said = text.trim()
    if (said === '') return
    const sent = key.current
    change('', 0)
    setError(undefined)
    try {
      const reply = replyTo === undefined ? {} : { replyTo }
      await store.client.threads.append(thread.id, { kind: 'chat', text: said, ...reply }, sent)
      key.current = newKey()
      onReplyTo(undefined)
    } catch (cause) {
      // The words come back; the key stays, so that sending again cannot double a message that did arrive.
      change(said, said.length)
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }

  function onKey(event: KeyboardEvent): void {
    // An input method's Enter chooses a character and sends nothing.
    if (event.nativeEvent.isComposing) return
    const choice = offered[picked]
    if (choice !== undefined) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault()
        const step = event.key === 'ArrowDown' ? 1 : offered.length - 1
        return setPicked((picked + step) % offered.length)
      }
      if (event.key === 'Enter' || event.key === 'Tab') {
        event.preventDefault()
        return pick(choice.handle)
      }
      if (event.key === 'Escape') return setCaret(0)
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    }
  }

  const answered = view.items.find((item) => item.type === 'message' && item.seq === replyTo)
  return (
    <div className="relative mx-auto w-full max-w-3xl px-3 pb-3 md:px-5">
      {offered.length > 0 && <MentionPicker choices={offered} picked={picked} onPick={pick} />}
      {answered?.type === 'message' && (
        <p className="text-soft flex items-center gap-2 pb-1 text-sm">
          <span className="truncate">Replying to “{answered.text}”</span>
          <button className="button-quiet" onClick={() => onReplyTo(undefined)}>
            Cancel
          </button>
        </p>
      )}
      <div className="border-line bg-raised focus-within:border-accent flex items-end gap-2 rounded-xl border p-2">
        <textarea
          ref={area}
          className="max-h-60 min-h-6 flex-1 resize-none bg-transparent px-1 py-1 outline-none [field-sizing:content]"
          rows={1}
          value={text}
          placeholder="Write a message, @ names somebody"
          aria-label="Message"
          onChange={(event) => change(event.target.value, event.target.selectionStart)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
        />
        <button
          className="button-primary"
          disabled={text.trim() === ''}
          onClick={() => void send()}
        >
          Send
        </button>
      </div>
      {unknown.length > 0 && (
        <p className="text-warn pt-1 text-sm">
          {unknown.map((name) => `@${name}`).join(', ')} {unknown.length === 1 ? 'is' : 'are'} not
          in this thread.
        </p>
      )}
      {error !== undefined && (
        <p role="alert" className="text-bad pt-1 text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
