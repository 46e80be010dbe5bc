import type { ArbeClient } from '@arbe/sdk/client'

/** Names of a thread's members by id; an id whose owner left stands for itself. */
export async function nameLookup(
  client: ArbeClient,
  threadId: string,
): Promise<(id: string) => string> {
  const thread = await client.threads.get(threadId)
  const names = new Map([...thread.people, ...thread.bots].map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}
