import type { ReactNode } from 'react'
import { useHouse } from '../house/use-house.ts'

export interface ScreenProps {
  readonly title: string
  readonly onMenu: () => void
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen: its title with what one may do, and under it what it shows. */
export function Screen({ title, onMenu, actions, children }: ScreenProps) {
  return (
    <>
      <header className="border-line flex min-h-14 items-center gap-2 border-b px-3 md:px-5">
        <button className="button-quiet md:hidden" onClick={onMenu} aria-label="Show the threads">
          ☰
        </button>
        <h1 className="min-w-0 flex-1 truncate font-semibold">{title}</h1>
        {actions}
      </header>
      {children}
    </>
  )
}

/** One calm line while the live feed is away; everything already shown stays. */
export function FeedNotice() {
  const { feed } = useHouse()
  if (feed !== 'waiting') return null
  return (
    <p role="status" className="bg-warn-tint text-warn px-4 py-1 text-center text-sm">
      Connection lost. Reconnecting; nothing you see is lost.
    </p>
  )
}
