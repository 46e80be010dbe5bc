/** What went wrong, said where it happened. */
export function Trouble({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null
  return (
    <p role="alert" className="text-bad text-sm">
      {message}
    </p>
  )
}
