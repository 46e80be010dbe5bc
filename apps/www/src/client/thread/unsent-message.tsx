import { Avatar } from './avatar.tsx'
import { Byline } from './byline.tsx'
import { MessageText } from './message-text.tsx'
import type { Unsent } from './outbox.ts'
import type { ThreadScene } from './thread-scene.ts'
import type { UsedOutbox } from './use-outbox.ts'

export interface UnsentMessageProps {
  readonly unsent: Unsent
  readonly scene: ThreadScene
  readonly outbox: UsedOutbox
}

/** One's own message before it is stored; when it could not be sent, why, and what now. */
export function UnsentMessage({ unsent, scene, outbox }: UnsentMessageProps) {
  const me = scene.who(scene.me)
  return (
    <article className="flex gap-3 py-1.5" aria-label={me.name}>
      <Avatar who={me} />
      <div className="min-w-0 flex-1">
        <Byline who={me} at={undefined}>
          {unsent.error === undefined && <span className="text-soft text-xs">sending…</span>}
        </Byline>
        <MessageText text={unsent.text} thread={scene.thread} named={undefined} />
        {unsent.error !== undefined && (
          <p role="alert" className="text-bad flex flex-wrap items-center gap-2 text-sm">
            Not sent: {unsent.error}
            <button className="button px-2 py-0.5" onClick={() => outbox.retry(unsent)}>
              Send again
            </button>
            <button className="button-quiet" onClick={() => outbox.drop(unsent.key)}>
              Throw away
            </button>
          </p>
        )}
      </div>
    </article>
  )
}
