import { type ArbeClient, createClient } from '@arbe/sdk/client'

export interface SignedIn {
  readonly client: ArbeClient
  /** A session's token, good as a bearer. */
  readonly token: string
}

/** Opens an owner's or an invitation link (`http://…/join/…`) as a browser would, and gives a client that speaks for that person. */
export async function signIn(link: string, name: string): Promise<SignedIn> {
  const { origin, pathname } = new URL(link)
  const answer = await fetch(`${origin}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ token: pathname.slice('/join/'.length), name }),
  })
  const token = /ses_[\w-]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0]
  if (token === undefined) throw new Error(`no session: ${answer.status} ${await answer.text()}`)
  return { client: createClient({ baseUrl: origin, token }), token }
}
