import { createContext, type ReactNode, use } from 'react'
import { useHouse } from '../house/use-house.ts'
import { usePageTitle } from './use-page-title.ts'

/** Opens the list of threads where it is not beside the screen. */
export const MenuContext = createContext<() => void>(() => undefined)

export interface ScreenProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen: its title with what one may do, and under it what it shows. */
export function Screen({ title, actions, children }: ScreenProps) {
  const openMenu = use(MenuContext)
  usePageTitle(title, useHouse().me?.house.name ?? '')
  return (
    <>
      <header className="border-line flex min-h-14 items-center gap-2 border-b px-3 md:px-5">
        <button className="button-quiet md:hidden" onClick={openMenu} aria-label="Show the threads">
          ☰
        </button>
        <h1 className="min-w-0 flex-1 truncate font-semibold">{title}</h1>
        {actions}
      </header>
      {children}
    </>
  )
}
