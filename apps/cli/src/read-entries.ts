import type { ArbeClient } from '@arbe/sdk/client'
import type { Entry } from '@arbe/sdk/entries'

/** What stands in a thread behind an offset, to its end. */
export async function* readEntries(
  client: ArbeClient,
  { threadId, after }: { readonly threadId: string; readonly after: number },
): AsyncGenerator<Entry, void> {
  let last = after
  for (;;) {
    const page = await client.threads.entries(threadId, { after: last, limit: 500 })
    yield* page.entries
    last = page.entries.at(-1)?.seq ?? last
    if (!page.more) return
  }
}
