import { type ActorId, type ThreadId, toThreadId } from '@arbe/sdk'
import { EnvironmentInputSchema } from '@arbe/sdk/environments'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { eachEngine } from '../../../test/support/each-engine.ts'
import { ended, type FakeSandboxes, fakeSandboxes } from '../../../test/support/fake-sandboxes.ts'
import { openTurnHouse, type TurnHouse } from '../../../test/support/turn-house.ts'
import type { Database } from '../db/executor.ts'
import { createEnvironment, editEnvironment } from '../environments/environments.ts'
import { boxOfEnvironment } from '../environments/sandboxes.ts'
import { changeThread } from '../threads/change-thread.ts'
import { removeEnvironmentAndBox, startEnvironment } from './environment-box.ts'
import { SandboxError } from './sandbox.ts'

eachEngine((open) => {
  let db: Database
  let house: TurnHouse
  let fake: FakeSandboxes
  const runtimes = new Map()
  let ada: ActorId
  let gus: ActorId
  let count = 0

  beforeAll(async () => {
    db = await open()
    house = await openTurnHouse(db, 'House', runtimes)
    ada = await house.addBot('Ada')
    gus = await house.addPerson('Gus', 'guest')
  })
  beforeEach(() => {
    fake = fakeSandboxes()
    runtimes.set('local', fake)
  })

  const place = () => ({ db, runtimes, houseId: house.houseId })
  async function addEnvironment(draft: object = {}): Promise<string> {
    const input = EnvironmentInputSchema.parse({ name: `workshop ${(count += 1)}`, ...draft })
    return db.transaction((tx) => createEnvironment(tx, house.houseId, input))
  }
  const bind = (threadId: ThreadId, environment: string | null) =>
    db.transaction((tx) => changeThread(tx, house.mia, { threadId, patch: { environment } }))

  /** A turn of Ada that answers these, in a thread bound to the environment. */
  async function turnIn(environment: string | null, by: readonly ActorId[] = [house.mia.id]) {
    const threadId = await house.addThread([gus], [ada])
    await bind(threadId, environment)
    for (const id of by) await house.say(threadId, id, 'please')
    return { threadId, ...(await house.turn(threadId, ada)) }
  }

  test('a command runs in the box of the thread’s environment, with its variables and its network', async () => {
    const id = await addEnvironment({ variables: { GREETING: 'hello' }, network: 'open' })
    await startEnvironment(place(), id)
    const { call, threadId, decision } = await turnIn(id)
    fake.answer = () => ended({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(await call('run_command', { command: 'make', cwd: 'src', timeout_seconds: 7 })).toBe(
      'exit code 3, 1.2 s\n--- stdout\nout\n--- stderr\nerr',
    )
    expect(fake.ran).toMatchObject([
      {
        id: (await boxOfEnvironment(db, house.houseId, id))?.ref,
        command: 'make',
        means: { variables: { GREETING: 'hello' }, network: 'open' },
        options: { timeoutMs: 7_000, cwd: 'src', label: { scope: threadId, order: decision } },
      },
    ])
  })

  test('what is changed in an environment holds for the next command', async () => {
    const id = await addEnvironment()
    await startEnvironment(place(), id)
    const { call } = await turnIn(id)
    await call('run_command', { command: 'first' })
    const patch = { variables: { A: '1' }, network: 'open' as const }
    await db.transaction((tx) => editEnvironment(tx, house.houseId, { id, patch }))
    await call('run_command', { command: 'second' })
    expect(fake.ran.map(({ means }) => means)).toEqual([
      { variables: {}, network: 'none' },
      { variables: { A: '1' }, network: 'open' },
    ])
  })

  test('a command that is ended says why', async () => {
    const id = await addEnvironment()
    await startEnvironment(place(), id)
    const { call } = await turnIn(id)
    fake.answer = () => ended({ exitCode: 137, timedOut: true, stdout: 'so far\n' })
    expect(await call('run_command', { command: 'x' })).toBe(
      'ended after 1.2 s, its time limit\n--- stdout\nso far',
    )
    fake.answer = () => ended({ exitCode: 137, aborted: true })
    expect(await call('run_command', { command: 'x' })).toBe('stopped after 1.2 s')
    fake.answer = () => ended({ exitCode: 137, diskFull: true })
    expect(await call('run_command', { command: 'x' })).toBe(
      'ended after 1.2 s: the sandbox holds more than it may. Delete files first',
    )
    fake.answer = () => new SandboxError('superseded', 'a later turn has taken over')
    expect(await call('run_command', { command: 'x' })).toBe(
      'superseded: a later turn has taken over',
    )
  })

  test('without a box the bot is told in a sentence, and nothing runs', async () => {
    const said = (because: string): string =>
      `There is nowhere to run commands: ${because}. Answer without, or say what is missing.`
    const tried = async (environment: string | null) =>
      (await turnIn(environment)).call('run_command', { command: 'x' })
    const id = await addEnvironment()
    expect(await tried(null)).toBe(said('this thread is bound to no environment'))
    expect(await tried(id)).toBe(said(`the environment "workshop ${count}" has not been started`))
    await startEnvironment(place(), id)
    fake.boxes.clear()
    expect(await tried(id)).toBe(said(`the environment "workshop ${count}" has not been started`))
    fake.health = { status: 'broken', reason: 'no namespaces here', remedy: 'Allow them' }
    expect(await tried(id)).toBe(said('no namespaces here. Allow them'))
    runtimes.delete('local')
    expect(await tried(id)).toBe(said('no sandboxes of the kind "local" are offered here'))
    expect(fake.ran).toEqual([])
  })

  test('guests have no commands run for them, alone or beside a member', async () => {
    const id = await addEnvironment()
    await startEnvironment(place(), id)
    for (const by of [[gus], [house.mia.id, gus]]) {
      const { call } = await turnIn(id, by)
      expect(await call('run_command', { command: 'x' })).toMatch(/has to be a member of the house/)
    }
    expect(fake.ran).toEqual([])
  })

  test('an environment has one box, however often and by how many it is started at once', async () => {
    const id = await addEnvironment()
    const started = await Promise.all([1, 2, 3].map(() => startEnvironment(place(), id)))
    expect(started.map(({ box }) => box)).toEqual(['ready', 'ready', 'ready'])
    expect(fake.boxes.size).toBe(1)
    const before = await boxOfEnvironment(db, house.houseId, id)
    await startEnvironment(place(), id)
    expect(await boxOfEnvironment(db, house.houseId, id)).toEqual(before)
    fake.boxes.clear()
    await startEnvironment(place(), id)
    expect([...fake.boxes]).toEqual([(await boxOfEnvironment(db, house.houseId, id))?.ref])
  })

  test('a removed environment takes its box with it and leaves its threads with none', async () => {
    const id = await addEnvironment()
    await startEnvironment(place(), id)
    const { call } = await turnIn(id)
    await removeEnvironmentAndBox(place(), id)
    expect(fake.boxes.size).toBe(0)
    expect(await call('run_command', { command: 'x' })).toMatch(/bound to no environment/)
    await expect(startEnvironment(place(), id)).rejects.toThrow(`no environment "${id}"`)
  })

  test('another house’s environment is none', async () => {
    const other = await openTurnHouse(db, 'Other')
    const input = EnvironmentInputSchema.parse({ name: 'theirs' })
    const theirs = await db.transaction((tx) => createEnvironment(tx, other.houseId, input))
    const threadId = await house.addThread([], [ada])
    await expect(bind(threadId, theirs)).rejects.toThrow(`no environment "${theirs}"`)
    await expect(bind(toThreadId(threadId), 'env_none')).rejects.toThrow('no environment')
    await expect(startEnvironment(place(), theirs)).rejects.toThrow('no environment')
  })
})
