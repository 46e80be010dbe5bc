import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWebPage, isWebPageBuilt } from '../../apps/www/src/server/build-web-page.ts'
import { serve } from '../../apps/cli/src/serve.ts'

export interface WebHouse extends AsyncDisposable {
  readonly url: string
  /** Works once. */
  readonly ownerLink: string
}

/** A whole house as `arbe start` makes it: embedded database, built page, on a free port, and the demo model unless the environment says otherwise. */
export async function startWebHouse(env: Readonly<Record<string, string>> = {}): Promise<WebHouse> {
  if (!isWebPageBuilt()) await buildWebPage()
  const folder = await mkdtemp(join(tmpdir(), 'arbe-house-'))
  const house = await serve(
    { ARBE_DATA: join(folder, 'data'), ARBE_PORT: '0', ...env },
    { parts: ['www', 'backstage'], ownerLink: true, onError: raise },
  )
  if (house.url === undefined || house.ownerLink === undefined)
    throw new Error('the house serves no page')
  return {
    url: house.url,
    ownerLink: house.ownerLink,
    async [Symbol.asyncDispose]() {
      await house.close()
      if (existsSync(folder)) await rm(folder, { recursive: true })
    },
  }
}

function raise(error: unknown): void {
  console.error('the house had trouble:', error)
}
