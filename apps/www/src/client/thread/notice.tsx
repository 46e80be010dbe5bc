import { sayNotices } from './say-notice.ts'
import type { NoticeItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

/** A change of the thread itself, in a line between the messages. */
export function Notice({
  item,
  scene,
}: {
  readonly item: NoticeItem
  readonly scene: ThreadScene
}) {
  return (
    <p className="text-soft my-2 text-center text-sm">
      {sayNotices(item.entries, (id) => scene.who(id).name)}
    </p>
  )
}
