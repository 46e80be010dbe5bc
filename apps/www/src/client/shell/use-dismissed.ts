import { useState } from 'react'

/** Whether a notice was put away in this browser, and how to put it away. */
export function useDismissed(name: string): [boolean, () => void] {
  const key = `dismissed:${name}`
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null)
  const dismiss = (): void => {
    localStorage.setItem(key, '1')
    setDismissed(true)
  }
  return [isDismissed, dismiss]
}
