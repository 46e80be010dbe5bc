import type { Thread } from '@arbe/sdk'
import { useHouse, useStore } from '../house/use-house.ts'
import { Avatar } from './avatar.tsx'
import { MessageText } from './message-text.tsx'
import type { Who } from './people.ts'
import type { ThreadItem, ThreadView } from './thread-view.ts'

type MessageItem = Extract<ThreadItem, { type: 'message' }>

interface MessageProps {
  readonly item: MessageItem
  readonly view: ThreadView
  readonly thread: Thread
  readonly who: (id: string) => Who
  readonly onReply: (seq: number) => void
}

export function Message({ item, view, thread, who, onReply }: MessageProps) {
  const author = who(item.author)
  const answered = view.items.find(
    (other) => other.type === 'message' && other.seq === item.replyTo,
  )
  return (
    <article className="group relative flex gap-3 py-2" aria-label={`${author.name} says`}>
      <Avatar who={author} />
      <div className="min-w-0 flex-1">
        <Head who={author} at={item.at} edited={item.edited} />
        {answered?.type === 'message' && (
          <p className="border-line text-soft mb-1 truncate border-l-2 pl-2 text-sm">
            {who(answered.author).name}: {answered.text}
          </p>
        )}
        {item.deleted ? (
          <p className="text-soft italic">deleted</p>
        ) : (
          <MessageText text={item.text} thread={thread} mentions={item.mentions} />
        )}
      </div>
      {!item.deleted && <Actions item={item} threadId={thread.id} onReply={onReply} />}
    </article>
  )
}

/** The reply that is being written; the stored message takes its place. */
export function LiveMessage({ who, text }: { readonly who: Who; readonly text: string }) {
  return (
    <article className="flex gap-3 py-2" aria-label={`${who.name} is writing`}>
      <Avatar who={who} />
      <div className="min-w-0 flex-1">
        <Head who={who} at={undefined} edited={false} />
        <p className="break-words whitespace-pre-wrap">
          {text}
          <span
            aria-hidden
            className="bg-accent ml-0.5 inline-block h-4 w-1.5 animate-pulse align-text-bottom"
          />
        </p>
      </div>
    </article>
  )
}

function Head({
  who,
  at,
  edited,
}: {
  readonly who: Who
  readonly at: string | undefined
  readonly edited: boolean
}) {
  return (
    <p className="flex items-baseline gap-2">
      <span className="font-semibold">{who.name}</span>
      {who.kind === 'bot' && <Badge text={who.demo ? 'bot · demo model' : 'bot'} />}
      {who.kind === 'system' && <Badge text="house" />}
      {at !== undefined && (
        <time className="text-soft text-xs" dateTime={at} title={new Date(at).toLocaleString()}>
          {new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
        </time>
      )}
      {edited && <span className="text-soft text-xs">edited</span>}
    </p>
  )
}

function Badge({ text }: { readonly text: string }) {
  return <span className="border-line text-soft rounded border px-1 text-[11px]">{text}</span>
}

function Actions({
  item,
  threadId,
  onReply,
}: {
  readonly item: MessageItem
  readonly threadId: string
  readonly onReply: (seq: number) => void
}) {
  const store = useStore()
  const mine = useHouse().me?.person.id === item.author
  const remove = (): void => {
    void store.client.threads.append(threadId, { kind: 'chat.delete', target: item.seq })
  }
  return (
    <div className="bg-raised border-line absolute top-1 right-0 flex rounded-md border opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100">
      <button className="button-quiet" onClick={() => onReply(item.seq)}>
        Reply
      </button>
      {mine && (
        <button className="button-quiet" onClick={remove}>
          Delete
        </button>
      )}
    </div>
  )
}
