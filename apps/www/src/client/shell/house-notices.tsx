import { useHouse } from '../house/use-house.ts'
import { useDismissed } from './use-dismissed.ts'

/** What concerns the whole house, in one line each: the connection, and which model speaks. */
export function HouseNotices() {
  return (
    <>
      <FeedNotice />
      <DemoNotice />
    </>
  )
}

/** Everything already shown stays while the live feed is away. */
function FeedNotice() {
  const { feed } = useHouse()
  return (
    <p role="status" className="bg-warn-tint text-warn px-4 text-center text-sm">
      {feed === 'waiting' && (
        <span className="block py-1">Connection lost. Reconnecting; nothing you see is lost.</span>
      )}
    </p>
  )
}

function DemoNotice() {
  const { me } = useHouse()
  const [isDismissed, dismiss] = useDismissed('demo')
  if (me?.demo !== true || isDismissed) return null
  return (
    <p className="bg-tint flex items-center gap-3 px-4 py-1.5 text-sm">
      <span className="min-w-0 flex-1">
        Bots speak through the built-in demo model.{' '}
        <a
          href="/docs/system/models.md"
          target="_blank"
          rel="noreferrer"
          className="text-accent underline underline-offset-2"
        >
          Add a provider’s key
        </a>{' '}
        and they think for real.
      </span>
      <button className="button-quiet" onClick={dismiss} aria-label="Put this notice away">
        ✕
      </button>
    </p>
  )
}
