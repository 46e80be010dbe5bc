import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArbeClient } from '@arbe/sdk/client'
import type { Entry } from '@arbe/sdk'
import { tailThread } from '@arbe/sdk/tail-thread'
import { serve, type Serving } from '../../apps/cli/src/serve.ts'
import { signIn } from './sign-in.ts'

export interface OpenHouse extends AsyncDisposable {
  readonly url: string
  readonly ownerLink: string
  readonly owner: ArbeClient
  readonly ownerToken: string
  /** What broke behind the scenes. */
  readonly errors: readonly unknown[]
}

/** A whole house in this process, page, API and worker, on an embedded database of its own, with its owner signed in. */
export async function openHouse(env: Readonly<Record<string, string>> = {}): Promise<OpenHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-house-'))
  const errors: unknown[] = []
  const serving: Serving = await serve(
    { ARBE_DATA: folder, ARBE_PORT: '0', ...env },
    { parts: ['www', 'backstage'], onError: (error) => void errors.push(error) },
  )
  const { url = '', ownerLink = '' } = serving
  const { client, token } = await signIn(ownerLink, 'Mia')
  return {
    url,
    ownerLink,
    owner: client,
    ownerToken: token,
    errors,
    async [Symbol.asyncDispose]() {
      await serving.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A provider's settings as the house reads them from its environment. */
export function providerEnv(provider: {
  readonly kind: 'openai' | 'anthropic'
  readonly baseUrl: string
  readonly apiKey?: string
  readonly price?: { readonly input: number; readonly output: number }
}): Readonly<Record<string, string>> {
  const { kind, baseUrl, apiKey = 'a-key', price = { input: 0, output: 0 } } = provider
  const models = [{ id: 'm', inputPrice: price.input, outputPrice: price.output }]
  return { ARBE_PROVIDERS: JSON.stringify([{ name: 'scripted', kind, baseUrl, apiKey, models }]) }
}

/** All entries of a thread, once one of them is what is waited for. */
export async function entriesUntil(
  client: ArbeClient,
  threadId: string,
  isIt: (entry: Entry) => boolean,
): Promise<readonly Entry[]> {
  const control = new AbortController()
  const entries: Entry[] = []
  for await (const entry of tailThread(client, threadId, { after: 0, signal: control.signal })) {
    entries.push(entry)
    if (isIt(entry)) break
  }
  control.abort()
  return entries
}

/**
 * All entries, once the last waking one is covered by a decision without a speaker or by a closed turn that let nothing follow, and so
 * many turns have ended and the waking entry at `seq` is among them.
 */
export async function entriesAtRest(
  client: ArbeClient,
  threadId: string,
  { turns = 0, seq = 1 }: { readonly turns?: number; readonly seq?: number } = {},
): Promise<readonly Entry[]> {
  let decided = 0
  let waking = 0
  let ended = 0
  let speaking: number | undefined
  return await entriesUntil(client, threadId, (entry) => {
    if (entry.wakes) waking = entry.seq
    if (entry.kind === 'signal.thread_director.decision') {
      speaking = entry.body.speaker === null ? undefined : entry.body.to
      if (speaking === undefined) decided = entry.body.to
    }
    if (entry.kind === 'signal.thread_director.outcome') {
      ended += 1
      if (entry.body.closes) decided = speaking ?? 0
    }
    return waking >= seq && decided >= waking && ended >= turns
  })
}
