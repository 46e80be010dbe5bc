import type { ReactNode } from 'react'

/** Where a list would stand: one sentence and one thing to do. */
export function EmptyList({
  says,
  children,
}: {
  readonly says: string
  readonly children?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-4 px-5 py-16 text-center">
      <p className="text-soft">{says}</p>
      {children}
    </div>
  )
}
