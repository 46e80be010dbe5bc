import { useCallback } from 'react'
import { useStore } from '../house/use-house.ts'
import { useFetched } from '../shell/use-fetched.ts'

/** A file as it is, whatever it holds: text, never markup. */
export function FileText({ path }: { readonly path: string }) {
  const store = useStore()
  const read = useCallback(() => store.client.files.read(path), [store, path])
  const file = useFetched(read)
  switch (file.status) {
    case 'loading':
      return <p className="text-soft p-2">Reading…</p>
    case 'failed':
      return <p className="text-bad p-2">{file.message}</p>
    case 'ready':
      return (
        <pre className="border-line bg-raised overflow-x-auto rounded-md border p-3 font-mono text-[13px] whitespace-pre-wrap">
          {file.value.content}
        </pre>
      )
  }
}
