import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readConfig } from '../../apps/www/src/server/config.ts'
import { startWww, type Www, type WwwParts } from '../../apps/www/src/server/start-www.ts'
import { copyTemplate } from '../../packages/core/db/data-template.ts'
import type { Database } from '../../packages/core/db/executor.ts'
import { openPglite } from '../../packages/core/db/pglite-db.ts'
import { createModels } from '../../packages/core/models/models.ts'
import type { SandboxRuntimes } from '../../packages/core/dispatch/sandbox.ts'
import { openLiveBus, type LiveBus } from '../../packages/core/streams/live-bus.ts'
import { openLiveTail } from '../../packages/core/streams/live-tail.ts'
import { createThreadDirectorStore } from '../../packages/core/thread-director/thread-director-store.ts'

export interface HttpHouse {
  readonly www: Www
  /** What it was started with. */
  readonly parts: WwwParts
  readonly db: Database
  readonly bus: LiveBus
  /** What broke behind a request; a test may empty it. */
  readonly errors: unknown[]
  close(): Promise<void>
}

/** A house served on a free port of this machine, on an embedded database of its own. No worker: nobody answers. */
export async function openHttpHouse(
  env: Readonly<Record<string, string>> = {},
  runtimes: SandboxRuntimes = new Map(),
): Promise<HttpHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'arbe-http-'))
  await copyTemplate(join(folder, 'db'))
  const db = await openPglite(join(folder, 'db'), 'off')
  const dispose = async (): Promise<void> => {
    await db.close()
    await rm(folder, { recursive: true })
  }
  const house = await openHttpHouseOn(db, env, runtimes).catch(async (error: unknown) => {
    await dispose()
    throw error
  })
  return {
    ...house,
    async close() {
      await house.close()
      await dispose()
    },
  }
}

/** The same on a database that the caller opened, and closes. */
export async function openHttpHouseOn(
  db: Database,
  env: Readonly<Record<string, string>> = {},
  runtimes: SandboxRuntimes = new Map(),
): Promise<HttpHouse> {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const bus = await openLiveBus(db)
  const tail = openLiveTail({ executor: db, bus, onError, pollMs: 300 })
  const parts: WwwParts = {
    db,
    bus,
    tail,
    runtimes,
    models: await createModels(
      { keys: new Map(), providers: [], defaultModel: undefined },
      async () => {},
    ),
    director: createThreadDirectorStore(db, (hint) => bus.appended(hint)),
    config: readConfig({ ARBE_PORT: '0', ...env }),
    onError,
  }
  const closeParts = async (): Promise<void> => {
    await tail.close()
    await bus.close()
  }
  const www = await startWww(parts).catch(async (error: unknown) => {
    await closeParts()
    throw error
  })
  return {
    www,
    parts,
    db,
    bus,
    errors,
    async close() {
      await www.close()
      await closeParts()
    },
  }
}

export interface Visitor {
  readonly id: string
  readonly token: string
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>
}

export interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any reply
  readonly body: any
}

/** Opens a link as a browser would, and from then on speaks with the session it got. */
export async function signIn(house: HttpHouse, link: string, name?: string): Promise<Visitor> {
  const token = link.slice(link.lastIndexOf('/') + 1)
  const response = await fetch(`${house.www.url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(name === undefined ? { token } : { token, name }),
  })
  const me = await response.json()
  if (!response.ok) throw new Error(`no session: ${JSON.stringify(me)}`)
  const session = /arbe_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? ''
  return visitor(house, me.person.id, session)
}

export function visitor(house: HttpHouse, id: string, token: string): Visitor {
  return {
    id,
    token,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${house.www.url}${path}`, {
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return { status: response.status, body: readBody(await response.text()) }
    },
  }
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
