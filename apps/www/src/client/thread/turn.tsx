import { Avatar } from './avatar.tsx'
import { Byline } from './byline.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageText } from './message-text.tsx'
import { MessageBody } from './message.tsx'
import { type MessageItem, NOBODY_NAMED, type RoundPart, type TurnItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'
import { ToolCard } from './tool-card.tsx'

export interface TurnProps {
  readonly item: TurnItem
  readonly scene: ThreadScene
  /** What is being written and not stored yet; undefined: nothing. */
  readonly live?: string | undefined
}

/** What a bot did and said in one go: its tools and its words in one box, while it is written as well as after. */
export function Turn({ item, scene, live }: TurnProps) {
  const bot = scene.who(item.bot)
  const said = item.parts.findLast((part) => part.type === 'message')
  return (
    <article className="group flex gap-3 py-1.5" aria-label={bot.name}>
      <Avatar who={bot} />
      <div className="min-w-0 flex-1">
        <Byline who={bot} at={item.parts.at(0)?.at} cost={scene.view.costs.get(item.decision)}>
          {said !== undefined && !said.isDeleted && <MessageActions item={said} scene={scene} />}
        </Byline>
        <div className="border-line bg-raised mt-0.5 space-y-2 rounded-xl rounded-tl-sm border px-3.5 py-2.5">
          {item.parts.map((part) => (
            <Part key={part.seq} part={part} scene={scene} />
          ))}
          {live !== undefined && <LiveText text={live} scene={scene} />}
        </div>
      </div>
    </article>
  )
}

function Part({
  part,
  scene,
}: {
  readonly part: RoundPart | MessageItem
  readonly scene: ThreadScene
}) {
  if (part.type === 'message') return <MessageBody item={part} scene={scene} />
  return (
    <>
      {part.text !== '' && (
        <MessageText text={part.text} thread={scene.thread} named={NOBODY_NAMED} />
      )}
      {part.calls.map((call) => (
        <ToolCard key={call.key} call={call} />
      ))}
    </>
  )
}

/** Half a message is Markdown as well: what stands here is drawn as it will be when it is stored. */
function LiveText({ text, scene }: { readonly text: string; readonly scene: ThreadScene }) {
  return (
    <div className="live-text">
      <MessageText text={text} thread={scene.thread} named={undefined} />
    </div>
  )
}
