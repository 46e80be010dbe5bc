import { type ArbeClient, createClient } from '@arbe/sdk/client'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { CliConfig } from './config.ts'
import { CliError, EXIT } from './exit.ts'

const LoginSchema = z.object({ url: z.string(), token: z.string() })
type Login = z.infer<typeof LoginSchema>

/** A client of the house that was logged in to, or that the environment names. */
export async function connect(config: CliConfig): Promise<ArbeClient> {
  const { url, token } = await currentLogin(config)
  return createClient({ baseUrl: url, token })
}

async function currentLogin(config: CliConfig): Promise<Login> {
  if (config.url !== undefined && config.token !== undefined)
    return { url: config.url, token: config.token }
  const text = await readFile(config.loginFile, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new CliError(
      EXIT.notAllowed,
      'Log in first: arbe login <link>, with the owner link of the first start or an invitation link.',
    )
  return LoginSchema.parse(JSON.parse(text))
}

/** Opens a link of the house and keeps a token of its own for this command line, readable by nobody else. */
export async function login(
  config: CliConfig,
  { link, name }: { readonly link: string; readonly name: string | undefined },
): Promise<{ readonly url: string; readonly person: string }> {
  const { url, linkToken } = parseLink(link)
  const session = await openLink(url, linkToken, name)
  const client = createClient({ baseUrl: url, token: session })
  const { person } = await client.me()
  const { token } = await client.createToken('command line')
  await mkdir(dirname(config.loginFile), { recursive: true, mode: 0o700 })
  await writeFile(config.loginFile, `${JSON.stringify({ url, token })}\n`, { mode: 0o600 })
  await chmod(config.loginFile, 0o600)
  return { url, person: person.name }
}

function parseLink(link: string): { readonly url: string; readonly linkToken: string } {
  const parsed = URL.parse(link)
  const token = parsed === null ? undefined : /^\/join\/([\w-]+)$/.exec(parsed.pathname)?.[1]
  if (parsed === null || token === undefined)
    throw new CliError(EXIT.usage, `"${link}" is no link of a house (http://…/join/…).`)
  return { url: parsed.origin, linkToken: token }
}

/** The session comes as a cookie, since browsers open links most of the time. */
async function openLink(url: string, token: string, name: string | undefined): Promise<string> {
  let session: string | undefined
  const client = createClient({
    baseUrl: url,
    fetch: async (...args) => {
      const response = await fetch(...args)
      session = /\b(ses_[\w-]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
      return response
    },
  })
  await client.openLink(token, name)
  if (session === undefined) throw new CliError(EXIT.failure, 'The house gave no session.')
  return session
}
