import { useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Dialog } from '../shell/dialog.tsx'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'

/** Makes one invitation link and shows it; whoever opens it joins the house. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const store = useStore()
  const [link, setLink] = useState<string>()
  const [error, setError] = useState<string>()

  async function make(): Promise<void> {
    try {
      const { url } = await store.client.invite()
      setLink(url)
    } catch (cause) {
      setError(messageOf(cause))
    }
  }

  return (
    <Dialog title="Invite people" done="Close" onClose={onClose}>
      <p className="text-soft mb-4 text-sm">
        Whoever opens the link joins this house as a member. It works for seven days and is shown
        this once.
      </p>
      {link === undefined ? (
        <button className="button-primary" onClick={() => void make()}>
          Make a link
        </button>
      ) : (
        <LinkToCopy link={link} />
      )}
      <Trouble message={error} />
    </Dialog>
  )
}

function LinkToCopy({ link }: { readonly link: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div className="flex gap-2">
      <input
        className="field"
        readOnly
        value={link}
        aria-label="Invitation link"
        onFocus={(event) => event.target.select()}
      />
      {/* A page that is not secure has no clipboard. */}
      {'clipboard' in navigator && (
        <button
          className="button"
          onClick={() => void navigator.clipboard.writeText(link).then(() => setCopied(true))}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </div>
  )
}
