/** What was typed in a thread and not sent; kept in the browser so that a reload or another thread loses nothing. */
export function takeDraft(threadId: string): string {
  return localStorage.getItem(keyOf(threadId)) ?? ''
}

export function keepDraft(threadId: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(threadId))
  else localStorage.setItem(keyOf(threadId), text)
}

const keyOf = (threadId: string): string => `draft:${threadId}`
