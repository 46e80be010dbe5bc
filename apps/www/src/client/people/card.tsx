import type { ReactNode } from 'react'
import { usePageTitle } from '../shell/use-page-title.ts'

/** A page of its own, before one is in the house. */
export function Card({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  usePageTitle(title)
  return (
    <main className="flex min-h-full flex-col items-center justify-center gap-4 p-4">
      <img src="/icon.svg" alt="" className="size-12" />
      <div className="border-line bg-raised w-full max-w-sm rounded-xl border p-6 shadow-sm">
        <h1 className="mb-4 text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  )
}
