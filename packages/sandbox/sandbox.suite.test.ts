import { execFileSync } from 'node:child_process'
import {
  type BoxMeans,
  type ExecOptions,
  type Sandbox,
  SandboxError,
  type SandboxRuntime,
} from '@arbe/core/dispatch/sandbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const ALONE: BoxMeans = { variables: {}, network: 'none' }

/** What every runtime's boxes keep to. */
export function sandboxSuite(open: () => Promise<SandboxRuntime>): void {
  let runtime: SandboxRuntime
  let box: Sandbox

  beforeAll(async () => {
    runtime = await open()
    box = await newBox(runtime)
  })
  afterAll(() => runtime.destroy(box.ref))

  const run = (command: string, options?: Partial<ExecOptions>) =>
    box.exec(command, { ...bounds(), ...options })
  describe('a command', () => {
    test('gives what it wrote, on each side, and its exit code', async () => {
      const { ms: _, ...result } = await run('echo out; echo err >&2; exit 42')
      const rest = { truncated: false, timedOut: false, aborted: false, diskFull: false }
      expect(result).toEqual({ exitCode: 42, stdout: 'out\n', stderr: 'err\n', ...rest })
    })

    test('that a signal ends says which', async () => {
      expect(await run('kill -9 $$')).toMatchObject({ exitCode: 137, timedOut: false })
    })

    test('[SB-1][SB-3] sees the end of its input at once', async () => {
      const { ms, ...result } = await run('read answer; echo "<$answer>"; cat')
      expect(result).toMatchObject({ stdout: '<>\n', timedOut: false })
      expect(ms).toBeLessThan(bounds().timeoutMs)
    })

    test('[SB-2] has no terminal to ask at', async () => {
      const { stderr, timedOut } = await run('read answer </dev/tty')
      expect({ stderr, timedOut }).toMatchObject({
        stderr: expect.stringContaining('/dev/tty'),
        timedOut: false,
      })
    })

    test('[SB-8] that takes too long is ended, and what it had written stays', async () => {
      const result = await run('echo A; sleep 1001', { timeoutMs: 300 })
      expect(result).toMatchObject({ exitCode: 137, stdout: 'A\n', timedOut: true, aborted: false })
    })

    test('is ended by its signal', async () => {
      const stop = new AbortController()
      const result = run('echo started; sleep 1002', {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      })
      expect(await result).toMatchObject({ exitCode: 137, aborted: true, timedOut: false })
    })

    test('[SB-5][SB-6][SB-13] takes everything with it that it started', async () => {
      const hidden = [
        '(trap "" TERM HUP INT; sleep 1003) &',
        'setsid -f sleep 1003',
        '(setsid sh -c "sleep 1003 & sleep 1003 &" &)',
      ]
      await run(`${hidden.join('\n')}\nsleep 1003`, { timeoutMs: 400 })
      expect(running('sleep 1003')).toBe(0)
    })

    test('[SB-7] does not wait for what it left in the background, and leaves nothing there', async () => {
      const { ms, stdout, timedOut } = await run('sleep 1004 & echo done')
      expect({ stdout, timedOut }).toEqual({ stdout: 'done\n', timedOut: false })
      expect(ms).toBeLessThan(bounds().timeoutMs)
      expect(running('sleep 1004')).toBe(0)
    })

    test('[SB-10][SB-11] that writes too much keeps head and tail and is no failure', async () => {
      const { exitCode, stdout, truncated } = await run('seq 100000', { maxOutput: 4096 })
      expect({ exitCode, truncated }).toEqual({ exitCode: 0, truncated: true })
      expect(stdout.startsWith('1\n2\n')).toBe(true)
      expect(stdout.endsWith('99999\n100000\n')).toBe(true)
      expect(stdout).toMatch(/\n\[… 584799 bytes are left out here …\]\n/)
      expect(Buffer.byteLength(stdout)).toBeLessThan(4096 + 64)
    })

    test('[SB-9] that floods its output is ended in time and costs no memory', async () => {
      const before = process.memoryUsage().rss
      const { timedOut, truncated } = await run('yes', { timeoutMs: 1_500 })
      expect({ timedOut, truncated }).toEqual({ timedOut: true, truncated: true })
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20)
    })

    test('[R-34] that forks, ignores signals and writes for ever is gone at its limit', async () => {
      const forks =
        'for i in $(seq 20); do (trap "" TERM HUP; yes 1008 >&2) & done; trap "" TERM; yes'
      const { ms, timedOut, stdout, stderr } = await run(forks, {
        timeoutMs: 1_000,
        maxOutput: 4_096,
      })
      expect({ timedOut, isOver: running('yes 1008') === 0 }).toEqual({
        timedOut: true,
        isOver: true,
      })
      expect(ms).toBeLessThan(1_000 + 5_000)
      expect(stdout.length + stderr.length).toBeLessThan(2 * (4_096 + 64))
    })

    test('[SB-14] leaves no zombies however many orphans it makes', async () => {
      const { stdout } = await run(
        'for i in $(seq 50); do (sh -c "sleep 0.05 &"); done; sleep 0.5; ps -eo stat | grep -c Z || true',
      )
      expect(stdout).toBe('0\n')
    })

    test('[SB-32] runs in the working folder or below it, never elsewhere', async () => {
      await run('mkdir -p src/deep')
      expect((await run('pwd', { cwd: 'src/deep' })).stdout).toBe('/workspace/src/deep\n')
      for (const cwd of ['/', '../..', '/etc', 'src/../..'])
        await expect(run('pwd', { cwd })).rejects.toMatchObject({ code: 'invalid_path' })
    })

    test('is given the variables of its environment and none of the server', async () => {
      process.env['ARBE_CANARY_KEY'] = 'canary-of-the-server'
      try {
        const named = await runtime.resolve(box.ref, {
          ...ALONE,
          variables: { GREETING: 'a "b" c' },
        })
        const { stdout = '' } =
          (await named?.exec('echo "$GREETING"; cat /proc/*/environ; env', bounds())) ?? {}
        expect(stdout).toMatch(/^a "b" c\n/)
        expect(stdout).not.toContain('canary-of-the-server')
      } finally {
        delete process.env['ARBE_CANARY_KEY']
      }
    })

    test('kills what an older turn of the thread left running, and yields to a newer one', async () => {
      const scope = 'thr_taken_over'
      const older = run('echo up; sleep 1005', { label: { scope, order: 7 } })
      const other = run('sleep 0.3; echo untouched', { label: { scope: 'thr_other', order: 1 } })
      await vi.waitFor(() => expect(running('sleep 1005')).toBe(1))
      const newer = run('sleep 0.5; echo on', { label: { scope, order: 8 } })
      expect(await older).toMatchObject({ exitCode: 137, timedOut: false, aborted: false })
      const late = run('echo late', { label: { scope, order: 7 } })
      await expect(late).rejects.toMatchObject({ code: 'superseded' })
      expect((await newer).stdout).toBe('on\n')
      expect((await other).stdout).toBe('untouched\n')
    })
  })

  describe('files', () => {
    test('come back as they were written, with the folders they need', async () => {
      const data = Buffer.from([0, 255, 10, 13, ...Buffer.from('é')])
      await box.writeFile('made/on/the/way.bin', data)
      expect(Buffer.from(await box.readFile('made/on/the/way.bin', { maxBytes: 100 }))).toEqual(
        data,
      )
      await box.writeFile('made/on/the/way.bin', Buffer.from('shorter'))
      expect((await run('cat made/on/the/way.bin')).stdout).toBe('shorter')
    })

    test('[SB-18] can be empty, and can be too large', async () => {
      await box.writeFile('empty', Buffer.from(''))
      expect((await box.readFile('empty', { maxBytes: 10 })).length).toBe(0)
      await box.writeFile('large', Buffer.alloc(11))
      await expect(box.readFile('large', { maxBytes: 10 })).rejects.toMatchObject({
        code: 'too_large',
      })
    })

    test('[SB-16][SB-18] that are none, or lead out of the box’s folder, are refused', async () => {
      await run('mkfifo pipe; ln -s /etc/alternatives out; ln -s /dev/zero zero; mkdir -p folder')
      const read = (path: string) => codeOf(box.readFile(path, { maxBytes: 10 }))
      const write = (path: string) => codeOf(box.writeFile(path, Buffer.from('x')))
      expect(
        await Promise.all(['none', '../x', '/etc/passwd', 'pipe', 'folder', 'zero'].map(read)),
      ).toEqual([
        'file_not_found',
        'invalid_path',
        'invalid_path',
        'not_a_file',
        'not_a_file',
        'invalid_path',
      ])
      expect(await Promise.all(['../x', 'out/x', 'pipe', 'folder'].map(write))).toEqual([
        'invalid_path',
        'invalid_path',
        'not_a_file',
        'not_a_file',
      ])
    })
  })

  describe('a box', () => {
    test('[SB-28] knows nothing of another one', async () => {
      const other = await newBox(runtime)
      await other.writeFile('of-another', Buffer.from('its own'))
      const busy = other.exec('sleep 1006', { ...bounds(), timeoutMs: 1_000 })
      const { stdout } = await run('ps -eo args; find / -name "of-anoth*" 2>/dev/null')
      expect(stdout).not.toMatch(/sleep 1006|of-another/)
      await busy
      await runtime.destroy(other.ref)
    })

    test('[SB-15] is destroyed with what runs in it, once or twice', async () => {
      const doomed = await newBox(runtime)
      const ended = doomed.exec('sleep 1007', bounds()).catch((error: unknown) => error)
      await vi.waitFor(() => expect(running('sleep 1007')).toBe(1))
      await runtime.destroy(doomed.ref)
      await runtime.destroy(doomed.ref)
      expect(await ended).not.toMatchObject({ exitCode: 0 })
      expect(running('sleep 1007')).toBe(0)
      expect(await runtime.resolve(doomed.ref, ALONE)).toBe(undefined)
    })

    test('is not made twice of one', async () => {
      const [one, two] = [await newBox(runtime), await newBox(runtime)]
      expect(one.ref).not.toEqual(two.ref)
      await Promise.all([one, two].map(({ ref }) => runtime.destroy(ref)))
    })

    test('is listed by what it was labelled with', async () => {
      const ref = await runtime.create({ labels: { house: 'hse_1' } })
      expect(await runtime.list()).toContainEqual({ ref, labels: { house: 'hse_1' } })
      await runtime.destroy(ref)
      expect((await runtime.list()).map((one) => one.ref.id)).not.toContain(ref.id)
    })
  })
}

const bounds = (): ExecOptions => ({
  timeoutMs: 20_000,
  maxOutput: 64 * 1024,
  signal: new AbortController().signal,
  label: { scope: `thr_${Math.random()}`, order: 1 },
})

async function newBox(runtime: SandboxRuntime): Promise<Sandbox> {
  const ref = await runtime.create({ labels: {} })
  const box = await runtime.resolve(ref, ALONE)
  if (box === undefined) throw new Error('a new box cannot be resolved')
  return box
}

/** How many processes with exactly these arguments there are on this machine, in whatever box. */
function running(args: string): number {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return all.split('\n').filter((line) => line.trim() === args).length
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof SandboxError) return error.code
    throw error
  }
}
