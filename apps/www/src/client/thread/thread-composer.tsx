import { useRef } from 'react'
import { useStore } from '../house/use-house.ts'
import { Composer } from './composer.tsx'
import { keepDraft, takeDraft } from './drafts.ts'
import type { Subject } from './subject.ts'
import type { ThreadScene } from './thread-scene.ts'
import type { UsedOutbox } from './use-outbox.ts'

export interface ThreadComposerProps {
  readonly scene: ThreadScene
  readonly subject: Subject
  readonly outbox: UsedOutbox
}

/** Writes a new message, an answer to one, or one's own anew. */
export function ThreadComposer({ scene, subject, outbox }: ThreadComposerProps) {
  const { thread, write, act } = scene
  const sayTyping = useTyping(thread.id)
  const done = (): void => write({ kind: 'new' })
  if (subject.kind === 'edit') {
    const save = async (text: string): Promise<void> => {
      // The words stay in the field until they are stored.
      if (await act({ kind: 'chat.edit', target: subject.target, text })) done()
    }
    return (
      <>
        <SubjectLine text="Editing your message" onCancel={done} />
        <Composer
          key={`edit:${subject.target}`}
          action="Save"
          thread={thread}
          initial={subject.text}
          onChange={() => undefined}
          onEscape={done}
          onSubmit={(text) => {
            void save(text)
            return false
          }}
        />
      </>
    )
  }
  const replyTo = subject.kind === 'reply' ? subject.to : undefined
  return (
    <>
      {replyTo !== undefined && <SubjectLine text={replyText(scene, replyTo)} onCancel={done} />}
      <Composer
        // Answering begins anew, so that the text has the focus; the draft goes on.
        key={`${thread.id}:${replyTo ?? ''}`}
        action="Send"
        thread={thread}
        initial={takeDraft(localStorage, thread.id)}
        onChange={(text) => {
          keepDraft(localStorage, thread.id, text)
          if (text !== '') sayTyping()
        }}
        onEscape={done}
        onSubmit={(text) => {
          outbox.post(text, replyTo)
          done()
          return true
        }}
      />
    </>
  )
}

function SubjectLine({ text, onCancel }: { readonly text: string; readonly onCancel: () => void }) {
  return (
    <p className="text-soft mx-auto flex w-full max-w-3xl items-center gap-2 px-4 pb-1 text-sm md:px-6">
      <span className="truncate">{text}</span>
      <button className="button-quiet py-0" onClick={onCancel}>
        Cancel
      </button>
    </p>
  )
}

function replyText({ view, who }: ThreadScene, to: number): string {
  const answered = view.messages.get(to)
  if (answered === undefined) return 'Replying'
  return `Replying to ${who(answered.author).name}: “${answered.text}”`
}

const TYPING_EVERY_MS = 3_000

function useTyping(threadId: string): () => void {
  const store = useStore()
  const saidAt = useRef(0)
  return () => {
    if (Date.now() - saidAt.current < TYPING_EVERY_MS) return
    saidAt.current = Date.now()
    // Nobody misses it when it gets lost.
    store.client.threads.typing(threadId).catch(() => undefined)
  }
}
