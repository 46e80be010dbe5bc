import { type ReactNode, useEffect, useId, useRef } from 'react'

export interface DialogProps {
  readonly title: string
  readonly done: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The browser's own modal dialog: it keeps the focus, closes with Escape and gives the focus back. */
export function Dialog({ title, done, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby={titleId}
      className="bg-raised text-ink border-line m-auto w-[calc(100%-2rem)] max-w-lg rounded-xl border p-6 shadow-xl"
    >
      <h2 id={titleId} className="mb-4 text-lg font-semibold">
        {title}
      </h2>
      {children}
      <div className="mt-6 text-right">
        <button className="button" onClick={() => dialog.current?.close()}>
          {done}
        </button>
      </div>
    </dialog>
  )
}
