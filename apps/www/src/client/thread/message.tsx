import { Avatar } from './avatar.tsx'
import { Byline } from './byline.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageText } from './message-text.tsx'
import type { MessageItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

export interface MessageProps {
  readonly item: MessageItem
  readonly scene: ThreadScene
}

/** What a person said, or the house, or a bot that is driven from outside. */
export function Message({ item, scene }: MessageProps) {
  const author = scene.who(item.author)
  return (
    <article className="group flex gap-3 py-1.5" aria-label={author.name}>
      <Avatar who={author} />
      <div className="min-w-0 flex-1">
        <Byline
          who={author}
          at={item.at}
          isEdited={item.isEdited}
          via={item.via}
          isImported={item.isImported}
        >
          {!item.isDeleted && <MessageActions item={item} scene={scene} />}
        </Byline>
        <MessageBody item={item} scene={scene} />
      </div>
    </article>
  )
}

export function MessageBody({ item, scene }: MessageProps) {
  if (item.isDeleted) return <p className="text-soft italic">This message was deleted.</p>
  return (
    <>
      <Answered to={item.replyTo} scene={scene} />
      <MessageText text={item.text} thread={scene.thread} named={item.named} />
    </>
  )
}

function Answered({ to, scene }: { readonly to: number | undefined; readonly scene: ThreadScene }) {
  if (to === undefined) return null
  const answered = scene.view.messages.get(to)
  const said = answered === undefined ? 'an older message' : answered.text || 'a deleted message'
  return (
    <p className="border-line text-soft mb-1 truncate border-l-2 pl-2 text-sm">
      {answered !== undefined && `${scene.who(answered.author).name}: `}
      {said}
    </p>
  )
}
