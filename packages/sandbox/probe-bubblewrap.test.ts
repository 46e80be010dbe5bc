import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireOrSkip } from '../../test/support/require.ts'
import { localRuntime } from './local-runtime.ts'
import { broken } from './probe-bubblewrap.ts'

describe('what keeps bubblewrap from working is said with its remedy', () => {
  test.each([
    ['spawn bwrap ENOENT', /apt-get install bubblewrap/],
    ['bwrap: Unknown option --disable-userns', /0\.8\.0/],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /AppArmor/],
    ['bwrap: setting up uid map: Permission denied', /AppArmor/],
    ['bwrap: No permissions to create new namespace', /kernel\.unprivileged_userns_clone=1/],
    ['bwrap: execvp prlimit: No such file or directory', /util-linux/],
    ['bubblewrap does not run on darwin', /another provider/],
    ['something new', /by hand/],
  ])('[SB-31] %s', (reason, remedy) => {
    expect(broken(reason)).toEqual({
      status: 'broken',
      reason,
      remedy: expect.stringMatching(remedy),
    })
  })
})

describe.skipIf(requireOrSkip('sandbox'))('a probe', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'arbe-probe-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  test('runs a real command and makes no boxes', async () => {
    const boxes = join(root, 'boxes')
    const health = await localRuntime({ root: boxes }).probe()
    expect(health).toEqual({ status: 'ready', isolation: 'namespaces' })
    await expect(readdir(boxes)).rejects.toThrow('ENOENT')
  })

  test('[SB-29] says what a bubblewrap that fails has said', async () => {
    const bubblewrap = join(root, 'bwrap')
    await writeFile(
      bubblewrap,
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    )
    await chmod(bubblewrap, 0o755)
    const health = await localRuntime({ root, bubblewrap }).probe()
    expect(health).toMatchObject({
      status: 'broken',
      reason: 'the box did not start: bwrap: No permissions to create new namespace',
    })
  })

  test('says when there is no bubblewrap', async () => {
    const health = await localRuntime({ root, bubblewrap: join(root, 'none') }).probe()
    expect(health).toMatchObject({ status: 'broken', remedy: expect.stringMatching(/apt-get/) })
  })
})
