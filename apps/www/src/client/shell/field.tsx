import type { ReactNode } from 'react'

export interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly children: ReactNode
}

/** A labelled field of a form. */
export function Field({ label, hint, children }: FieldProps) {
  return (
    <label className="block">
      <span className="label">{label}</span>
      {children}
      {hint !== undefined && <span className="text-soft mt-1 block text-xs">{hint}</span>}
    </label>
  )
}
