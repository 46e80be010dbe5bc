import { type ArbeClient, createClient } from '@arbe/sdk/client'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CliConfig } from './config.ts'
import { CliError, EXIT } from './exit.ts'

interface Login {
  readonly url: string
  readonly token: string
}

/** A client of the house that was logged in to, or that the environment names. */
export async function connect(config: CliConfig): Promise<ArbeClient> {
  const { url, token } = await currentLogin(config)
  return createClient({ baseUrl: url, token })
}

async function currentLogin({ url, token, loginFile }: CliConfig): Promise<Login> {
  if (url !== undefined && token !== undefined) return { url: originOf(url), token }
  // Half of it would speak to another house than was meant.
  if (url !== undefined || token !== undefined)
    throw new CliError(EXIT.usage, 'ARBE_URL and ARBE_TOKEN go together: set both, or neither.')
  const text = await readFile(loginFile, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new CliError(
      EXIT.notAllowed,
      'Log in first: arbe login <link>, with the owner’s link of the first start or an invitation.',
    )
  const kept = readLogin(text)
  if (kept === undefined)
    throw new CliError(
      EXIT.failure,
      `${loginFile} holds no login. Log in again: arbe login <link>.`,
    )
  return kept
}

function originOf(url: string): string {
  const origin = URL.parse(url)?.origin
  if (origin === undefined || !/^https?:/.test(url))
    throw new CliError(EXIT.usage, `ARBE_URL must be the address of a house, and is "${url}".`)
  return origin
}

/** By hand: the schema library would cost every command more than all the rest of its start. */
function readLogin(text: string): Login | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    if (!('url' in value) || !('token' in value)) return undefined
    const { url, token } = value
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined
  } catch {
    return undefined
  }
}

/** Opens a link of the house and keeps a token of its own for this command line, readable by nobody else. */
export async function login(
  config: CliConfig,
  { link, name }: { readonly link: string; readonly name: string | undefined },
): Promise<{ readonly url: string; readonly person: string }> {
  const { url, session } = await openLink(link, name)
  const client = createClient({ baseUrl: url, token: session })
  const { person } = await client.me()
  const { token } = await client.createToken('command line')
  await keepLogin(config.loginFile, { url, token })
  return { url, person: person.name }
}

/** As a browser would. The session comes as a cookie, since browsers open links most of the time. */
export async function openLink(
  link: string,
  name: string | undefined,
): Promise<{ readonly url: string; readonly session: string }> {
  const { url, linkToken } = parseLink(link)
  let session: string | undefined
  const client = createClient({
    baseUrl: url,
    fetch: async (...args) => {
      const response = await fetch(...args)
      session = /\b(ses_[\w-]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
      return response
    },
  })
  await client.openLink(linkToken, name)
  if (session === undefined) throw new CliError(EXIT.failure, 'The house gave no session.')
  return { url, session }
}

function parseLink(link: string): { readonly url: string; readonly linkToken: string } {
  const parsed = URL.parse(link)
  const token = parsed === null ? undefined : /^\/join\/([\w-]+)$/.exec(parsed.pathname)?.[1]
  if (parsed === null || token === undefined)
    throw new CliError(EXIT.usage, `"${link}" is no link of a house (http://…/join/…).`)
  return { url: parsed.origin, linkToken: token }
}

async function keepLogin(file: string, kept: Login): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
  // A file that was there before keeps its mode when it is written.
  await chmod(file, 0o600)
}
