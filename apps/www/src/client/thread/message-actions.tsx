import { renameMentions } from '@arbe/sdk/mentions'
import { useState } from 'react'
import type { MessageItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

/** Reply, edit, delete: shown to whoever points at the message, walks to it with the keyboard, or has no pointer. */
export function MessageActions({
  item,
  scene,
}: {
  readonly item: MessageItem
  readonly scene: ThreadScene
}) {
  const [isAsking, setAsking] = useState(false)
  const isMine = item.author === scene.me
  const { seq } = item
  if (isAsking) {
    return (
      <span className="ml-auto flex h-7 shrink-0 items-center">
        <button
          className="button-quiet text-bad px-1.5 py-0 text-xs"
          onClick={() => void scene.act({ kind: 'chat.delete', target: seq })}
        >
          Delete for everyone
        </button>
        <button className="button-quiet px-1.5 py-0 text-xs" onClick={() => setAsking(false)}>
          Keep
        </button>
      </span>
    )
  }
  return (
    <span className="ml-auto flex h-7 shrink-0 items-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      <button
        className="button-quiet px-1.5 py-0 text-xs"
        onClick={() => scene.write({ kind: 'reply', to: seq })}
      >
        Reply
      </button>
      {isMine && (
        <button
          className="button-quiet px-1.5 py-0 text-xs"
          onClick={() => scene.write({ kind: 'edit', target: seq, text: textToEdit(item, scene) })}
        >
          Edit
        </button>
      )}
      {(isMine || scene.isAdmin) && (
        <button className="button-quiet px-1.5 py-0 text-xs" onClick={() => setAsking(true)}>
          Delete
        </button>
      )}
    </span>
  )
}

/** It is written anew with the handles of today, as it is shown. */
function textToEdit({ text, named }: MessageItem, { thread }: ThreadScene): string {
  const members: readonly { readonly id: string; readonly handle: string }[] = [
    ...thread.bots,
    ...thread.people,
  ]
  return renameMentions(
    text,
    named.names ?? [],
    (id) => members.find((member) => member.id === id)?.handle,
  )
}
