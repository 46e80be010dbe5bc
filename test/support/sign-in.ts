import { type ArbeClient, createClient } from '@arbe/sdk/client'
import { openLink } from '../../apps/cli/src/login.ts'

export interface SignedIn {
  readonly client: ArbeClient
  /** A session's token, good as a bearer. */
  readonly token: string
}

/** Opens an owner's or an invitation link (`http://…/join/…`), and gives a client that speaks for that person. */
export async function signIn(link: string, name: string): Promise<SignedIn> {
  const { url, session: token } = await openLink(link, name)
  return { client: createClient({ baseUrl: url, token }), token }
}
