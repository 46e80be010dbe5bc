import { useCallback, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'

/** The house's files, which its bots read and write. */
export function FileScreen({ onMenu }: { readonly onMenu: () => void }) {
  const store = useStore()
  const read = useCallback(() => store.client.files.list(), [store])
  const files = useFetched(read)
  const [path, setPath] = useState<string>()
  return (
    <Screen title="Files" onMenu={onMenu}>
      <div className="mx-auto w-full max-w-3xl overflow-y-auto p-5">
        {files.status === 'failed' && <p className="text-bad">{files.message}</p>}
        {files.status === 'ready' && files.value.files.length === 0 && (
          <p className="text-soft">No file yet. Ask a bot to write one.</p>
        )}
        {files.status === 'ready' && (
          <ul className="space-y-1">
            {files.value.files.map((file) => (
              <li key={file.path}>
                <button
                  className="hover:bg-panel flex w-full items-baseline gap-3 rounded-md px-2 py-1.5 text-left"
                  aria-expanded={path === file.path}
                  onClick={() => setPath(path === file.path ? undefined : file.path)}
                >
                  <span className="min-w-0 flex-1 truncate font-mono text-sm">{file.path}</span>
                  <span className="text-soft text-sm">version {file.version}</span>
                </button>
                {path === file.path && (
                  <FileText key={`${file.path}:${file.version}`} path={path} />
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Screen>
  )
}

function FileText({ path }: { readonly path: string }) {
  const store = useStore()
  const read = useCallback(() => store.client.files.read(path), [store, path])
  const file = useFetched(read)
  if (file.status === 'loading') return <p className="text-soft p-2">Reading…</p>
  if (file.status === 'failed') return <p className="text-bad p-2">{file.message}</p>
  return (
    <pre className="border-line bg-panel overflow-x-auto rounded-md border p-3 font-mono text-[13px] whitespace-pre-wrap">
      {file.value.content}
    </pre>
  )
}
