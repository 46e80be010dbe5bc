import type { ThreadSummary } from '@arbe/sdk'
import { Link, useRoute } from 'wouter'
import { isUnread, type ReadMarks } from '../house/read-marks.ts'

export interface ThreadRowProps {
  readonly thread: ThreadSummary
  readonly marks: ReadMarks
  readonly onPick: () => void
}

export function ThreadRow({ thread, marks, onPick }: ThreadRowProps) {
  const [isShown] = useRoute(`/t/${thread.id}`)
  const isNew = isUnread(thread, marks)
  return (
    <li>
      <Link
        href={`/t/${thread.id}`}
        onClick={onPick}
        aria-current={isShown ? 'page' : undefined}
        className={`flex items-center gap-2 rounded-md px-2.5 py-1.5 ${isShown ? 'bg-raised shadow-xs' : 'hover:bg-raised/60'} ${isNew ? 'font-semibold' : ''}`}
      >
        <span className="min-w-0 flex-1 truncate">{thread.title || 'Untitled'}</span>
        {isNew && (
          <span className="bg-accent size-2 shrink-0 rounded-full">
            <span className="sr-only">unread</span>
          </span>
        )}
      </Link>
    </li>
  )
}
