import type { HouseFile } from '@arbe/sdk'
import { useCallback, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../house/use-house.ts'
import { EmptyList } from '../shell/empty-list.tsx'
import { Screen } from '../shell/screen.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import { FileText } from './file-text.tsx'

/** The house's files, which its bots read and write. */
export function FileScreen() {
  const store = useStore()
  const read = useCallback(() => store.client.files.list(), [store])
  const files = useFetched(read)
  return (
    <Screen
      title="Files"
      actions={
        <button className="button-quiet" onClick={files.reload}>
          Read again
        </button>
      }
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        {files.status === 'failed' && (
          <EmptyList says={files.message}>
            <button className="button" onClick={files.reload}>
              Try again
            </button>
          </EmptyList>
        )}
        {files.status === 'ready' && <FileList files={files.value.files} />}
      </div>
    </Screen>
  )
}

function FileList({ files }: { readonly files: readonly HouseFile[] }) {
  const [shown, setShown] = useState<string>()
  if (files.length === 0) {
    return (
      <EmptyList says="No file yet: ask a bot to write one.">
        <Link href="/" className="button">
          To the threads
        </Link>
      </EmptyList>
    )
  }
  return (
    <ul className="mx-auto w-full max-w-3xl space-y-1 p-5">
      {files.map(({ path, version, size, at }) => (
        <li key={path}>
          <button
            className="hover:bg-panel flex w-full flex-wrap items-baseline gap-x-3 rounded-md px-2 py-1.5 text-left"
            aria-expanded={shown === path}
            onClick={() => setShown(shown === path ? undefined : path)}
          >
            <span className="min-w-0 flex-1 truncate font-mono text-sm">{path}</span>
            <span className="text-soft text-xs">
              {sizeOf(size)} · version {version} ·{' '}
              <time dateTime={at}>{new Date(at).toLocaleString()}</time>
            </span>
          </button>
          {shown === path && <FileText key={`${path}:${version}`} path={path} />}
        </li>
      ))}
    </ul>
  )
}

function sizeOf(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(1)} KiB`
}
