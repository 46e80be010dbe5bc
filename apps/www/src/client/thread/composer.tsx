import type { Thread } from '@arbe/sdk'
import { useId } from 'react'
import { MentionPicker, optionId } from './mention-picker.tsx'
import { type ComposerOptions, useComposer } from './use-composer.ts'
import { whomItAsks } from './whom-it-asks.ts'

export interface ComposerProps extends ComposerOptions {
  readonly action: 'Send' | 'Save'
}

export function Composer({ action, ...options }: ComposerProps) {
  const { area, text, offered, picked, change, moveCaret, pick, submit, onKey } =
    useComposer(options)
  const listId = useId()
  return (
    <div className="relative mx-auto w-full max-w-3xl px-3 md:px-5">
      {offered.length > 0 && (
        <MentionPicker id={listId} choices={offered} picked={picked} onPick={pick} />
      )}
      <div className="border-line bg-raised focus-within:border-accent flex items-end gap-2 rounded-xl border p-2 shadow-sm">
        <textarea
          ref={area}
          className="max-h-60 min-h-6 flex-1 resize-none bg-transparent px-1 py-1 outline-none [field-sizing:content]"
          rows={1}
          value={text}
          placeholder="Write a message"
          aria-label="Message"
          aria-autocomplete="list"
          aria-controls={offered.length > 0 ? listId : undefined}
          aria-activedescendant={offered.length > 0 ? optionId(listId, picked) : undefined}
          onChange={(event) => change(event.target.value, event.target.selectionStart)}
          onSelect={(event) => moveCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKey}
        />
        <button className="button-primary" disabled={text.trim() === ''} onClick={submit}>
          {action}
        </button>
      </div>
      <Hint text={text} thread={options.thread} />
    </div>
  )
}

/** What sending will do. The line is always there, so that nothing moves while one types. */
function Hint({ text, thread }: { readonly text: string; readonly thread: Thread }) {
  const said = whomItAsks(text, thread)
  return (
    <p className="text-soft flex h-6 items-center truncate px-1 text-xs">
      {said === '' ? '@ asks somebody · Shift+Enter begins a line' : said}
    </p>
  )
}
