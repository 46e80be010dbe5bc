import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecOptions, Sandbox, SandboxRuntime } from '@arbe/core/dispatch/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireOrSkip } from '../../test/support/require.ts'
import { localRuntime } from './local-runtime.ts'
import { sandboxSuite } from './sandbox.suite.test.ts'

const missing = requireOrSkip('sandbox')

describe.skipIf(missing)('local boxes', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'arbe-boxes-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  sandboxSuite(async () => localRuntime({ root }))

  describe('see nothing of the machine', () => {
    let runtime: SandboxRuntime
    let box: Sandbox
    beforeAll(async () => {
      runtime = localRuntime({ root })
      box = await open(runtime, 'none')
    })
    afterAll(() => runtime.destroy(box.ref))
    const run = async (command: string) => (await box.exec(command, bounds())).stdout

    test('[SB-22][SB-26] but programs: no homes, no passwords, no sockets, no folders of the server', async () => {
      await writeFile(join(root, 'of-the-server'), 'canary')
      const wanted = [
        '/root',
        '/home',
        '/var',
        '/run',
        '/etc/passwd',
        '/etc/shadow',
        '/mnt',
        '/srv',
        root,
      ]
      expect(await run(`ls -d ${wanted.join(' ')} 2>/dev/null; ls / | tr '\\n' ' '`)).toBe(
        'bin dev etc lib lib64 proc sbin tmp usr workspace ',
      )
    })

    test('and cannot write outside their folder, nor fill its memory', async () => {
      const places = ['/', '/etc', '/usr', '/dev', '/bin', '/proc/sys/kernel/hostname']
      const script = places
        .map((place) => `touch ${place}/x 2>/dev/null && echo ${place}`)
        .join(';')
      expect(await run(`${script}; true`)).toBe('')
      expect(
        await run(
          'head -c 200M /dev/zero > /tmp/x; head -c 200M /dev/zero > /dev/shm/x; df -m --output=used /tmp /dev/shm | tail -2 | tr -d " \\n"',
        ),
      ).toBe('6416')
    })

    test('and make no namespaces of their own, nor gain a right', async () => {
      expect(await run('unshare -Ur id -u 2>/dev/null; grep -h CapEff /proc/self/status')).toBe(
        'CapEff:\t0000000000000000\n',
      )
    })

    test('and hold fork bombs to a number', async () => {
      const bomb =
        'while ($n < 1000 and defined($pid = fork)) { sleep 30, exit if !$pid; $n++ } print $n'
      const made = Number(await run(`perl -e '${bomb}'`))
      expect(made).toBeGreaterThan(100)
      expect(made).toBeLessThan(256)
    })
  })

  test('[R-34] hold no more than they may, and can be tidied up when they are full', async () => {
    const runtime = localRuntime({ root, maxBytes: 8 << 20 })
    const box = await open(runtime, 'none')
    const fill = 'mkdir -p deep/er; while head -c 1M /dev/zero >> deep/er/file; do sleep 0.02; done'
    const filled = await box.exec(fill, bounds())
    expect(filled).toMatchObject({ diskFull: true, aborted: false, timedOut: false, exitCode: 137 })
    const tidied = await box.exec('chmod 700 deep; rm -r deep; sleep 1; ls', bounds())
    expect(tidied).toMatchObject({ diskFull: false, exitCode: 0, stdout: '' })
    await runtime.destroy(box.ref)
  })

  test('reach no service of the machine, unless their network is open', async () => {
    const server = createServer((_, reply) => reply.end('of the machine')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -1 <&3`
    const runtime = localRuntime({ root })
    const closed = await open(runtime, 'none')
    expect((await closed.exec(ask, bounds())).stdout).toBe('')
    const opened = await runtime.resolve(closed.ref, { variables: {}, network: 'open' })
    expect((await opened?.exec(ask, bounds()))?.stdout).toBe('of the machine')
    await runtime.destroy(closed.ref)
    server.close()
  })
})

function bounds(): ExecOptions {
  const label = { scope: 'thr_1', order: 1 }
  return { timeoutMs: 20_000, maxOutput: 65_536, signal: new AbortController().signal, label }
}

async function open(runtime: SandboxRuntime, network: 'none' | 'open'): Promise<Sandbox> {
  const box = await runtime.resolve(await runtime.create({ labels: {} }), {
    variables: {},
    network,
  })
  if (box === undefined) throw new Error('a new box cannot be resolved')
  return box
}
