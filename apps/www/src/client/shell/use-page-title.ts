import { useEffect } from 'react'

/** What the browser's tab says. */
export function usePageTitle(...parts: readonly string[]): void {
  const title = [...parts.filter((part) => part !== ''), 'arbe'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
