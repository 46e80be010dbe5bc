import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

import { findPostgresFolder, startPostgresServer } from './postgres-server.ts'
import type { TestDatabase } from './postgres-server.ts'
import { createDatabase } from './postgres.ts'
import { requireOrSkip } from './require.ts'

const run = promisify(execFile)

describe.skipIf(requireOrSkip('postgres'))('a Postgres for tests', () => {
  test('databases of one run stand on one server, apart from each other, with fsync on', async () => {
    const first = await createDatabase()
    const second = await createDatabase()
    await ask(first, 'create table only_here (id int)')
    const tables = "select count(*) from pg_tables where tablename = 'only_here'"
    const answers = {
      inFirst: await ask(first, tables),
      inSecond: await ask(second, tables),
      fsync: await ask(first, 'show fsync'),
      sameServer: new URL(first.url).host === new URL(second.url).host,
    }
    await first.drop()
    await second.drop()
    expect(answers).toEqual({ inFirst: '1', inSecond: '0', fsync: 'on', sameServer: true })
  })

  test('a private server comes back from a crash with what was committed', async () => {
    await using server = await startPostgresServer()
    const database = await server.createDatabase()
    await ask(database, 'create table kept as select 7 as id')
    await server.stop('immediate')
    await expect(ask(database, 'select id from kept')).rejects.toThrow('Connection refused')
    await server.start()
    expect(await ask(database, 'select id from kept')).toBe('7')
  })

  test('a server does not outlive the process that started it, even after kill -9', async () => {
    const source = `const { startPostgresServer } = await import('${import.meta.resolve('./postgres-server.ts')}')
      const database = await (await startPostgresServer()).createDatabase()
      process.stdout.write(database.url)
      process.stdin.resume()`
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', source])
    const url = await firstText(owner.stdout)
    const patient = ask({ url }, 'select pg_sleep(600)')
    owner.kill('SIGKILL')
    await expect(patient).rejects.toThrow(/terminat|closed|refused|shutting down/)
  })
})

async function firstText(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const chunk of stream) return String(chunk)
  throw new Error('the process ended without a word')
}

async function ask(database: Pick<TestDatabase, 'url'>, sql: string): Promise<string> {
  const psql = `${findPostgresFolder()}/psql`
  const { stdout } = await run(psql, ['--no-psqlrc', '-tA', '-c', sql, database.url])
  return stdout.trim()
}
