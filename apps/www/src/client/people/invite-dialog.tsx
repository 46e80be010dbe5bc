import { useEffect, useRef, useState } from 'react'
import { useStore } from '../house/use-house.ts'

/** Makes one invitation link and shows it; whoever opens it joins the house. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const store = useStore()
  const dialog = useRef<HTMLDialogElement>(null)
  const [link, setLink] = useState<string>()
  const [error, setError] = useState<string>()
  const [copied, setCopied] = useState(false)

  useEffect(() => dialog.current?.showModal(), [])

  async function make(): Promise<void> {
    try {
      const { url } = await store.client.invite()
      setLink(url)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }

  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="invite-title"
      className="bg-raised text-ink border-line m-auto w-full max-w-md rounded-xl border p-6"
    >
      <h2 id="invite-title" className="mb-2 text-lg font-semibold">
        Invite people
      </h2>
      <p className="text-soft mb-4 text-sm">
        Whoever opens the link joins this house as a member, for seven days from now.
      </p>
      {link === undefined ? (
        <button className="button-primary" onClick={() => void make()}>
          Make a link
        </button>
      ) : (
        <div className="flex gap-2">
          <input className="field" readOnly value={link} aria-label="Invitation link" />
          <button
            className="button"
            onClick={() => void navigator.clipboard.writeText(link).then(() => setCopied(true))}
          >
            {copied ? 'Copied' : 'Copy'}
          </button>
        </div>
      )}
      {error !== undefined && (
        <p role="alert" className="text-bad mt-3 text-sm">
          {error}
        </p>
      )}
      <div className="mt-6 text-right">
        <button className="button-quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  )
}
