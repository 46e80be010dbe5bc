/** What was typed in a thread and not sent; kept in the browser so that a reload or another thread loses nothing. */
export function takeDraft(storage: Storage, threadId: string): string {
  return storage.getItem(keyOf(threadId)) ?? ''
}

export function keepDraft(storage: Storage, threadId: string, text: string): void {
  if (text === '') storage.removeItem(keyOf(threadId))
  else storage.setItem(keyOf(threadId), text)
}

const keyOf = (threadId: string): string => `draft:${threadId}`
