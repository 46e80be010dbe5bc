import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, findPostgresFolder, freePort, serverUser } from './postgres-server.ts'
import type { TestDatabase } from './postgres-server.ts'
import { type OnSmallDisk, placeForDisk, startOnSmallDisk } from './small-disk.ts'

export interface SmallPostgres extends AsyncDisposable {
  readonly disk: OnSmallDisk
  createDatabase(): Promise<TestDatabase>
}

// A server that finds no room to recover ends; whoever looks after it starts it again.
const LOOK_AFTER = `
"$1/initdb" -D "$2/data" -A trust -U arbe --encoding=UTF8 --no-locale --no-sync --wal-segsize=4 >/dev/null || exit 1
while :; do
  "$1/postgres" -D "$2/data" -p "$3" -k "$2" -c listen_addresses=127.0.0.1 >"/dev/null" 2>&1
  sleep 0.3
done`

/** A Postgres server whose data has a small disk for itself, with somebody who starts it again whenever it ends. */
export async function startPostgresOnSmallDisk(bytes: number): Promise<SmallPostgres> {
  const programs = findPostgresFolder()
  if (programs === undefined) throw new Error('no Postgres: apt-get install postgresql')
  const place = placeForDisk()
  const port = await freePort()
  const disk = await startOnSmallDisk({
    bytes,
    folder: place.folder,
    command: ['sh', '-c', LOOK_AFTER, 'sh', programs, place.folder, String(port)],
    env: { PATH: process.env['PATH'] },
    as: serverUser(),
  })
  return {
    disk,
    createDatabase: () => createWhenUp({ programs, port }),
    async [Symbol.asyncDispose]() {
      const ended = once(disk.child, 'close')
      disk.child.kill('SIGKILL')
      await ended
      place.remove()
    },
  }
}

async function createWhenUp(at: Parameters<typeof createDatabase>[0]): Promise<TestDatabase> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await createDatabase(at)
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(200)
    }
  }
}
