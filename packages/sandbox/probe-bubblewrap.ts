import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RuntimeHealth, SandboxError } from '@arbe/core/dispatch/sandbox'
import { boxFolder, makeFolder } from './box-folder.ts'
import { runInBox } from './run-in-box.ts'

/** Runs `true` with the whole profile, in a folder that is made for it and gone afterwards. */
export async function probeBubblewrap(bubblewrap: string): Promise<RuntimeHealth> {
  if (process.platform !== 'linux') return broken(`bubblewrap does not run on ${process.platform}`)
  // Not where the boxes are: who asks may not be the one who makes that place.
  const folder = boxFolder(await mkdtemp(join(tmpdir(), 'arbe-probe-')), {
    bubblewrap,
    maxBytes: 0,
  })
  try {
    await makeFolder(folder)
    const { exitCode, stderr } = await runInBox(folder, ['true'])
    return exitCode === 0 ? READY : broken(stderr.text())
  } catch (error) {
    if (error instanceof SandboxError) return broken(reasonOf(error))
    throw error
  } finally {
    await rm(folder.path, { recursive: true, force: true })
  }
}

const READY: RuntimeHealth = { status: 'ready', isolation: 'namespaces' }

const reasonOf = ({ message, cause }: SandboxError): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message

/** With the first remedy whose pattern fits what was said. */
export function broken(reason: string): RuntimeHealth {
  const known = REMEDIES.find(([pattern]) => pattern.test(reason))
  return { status: 'broken', reason: reason.trim(), remedy: known?.[1] ?? UNKNOWN }
}

const UNKNOWN = 'Run bubblewrap by hand to see what this machine lacks.'

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/does not run on/, 'Use an environment of another provider on this machine.'],
  [/(prlimit|setpriv): No such/, 'Install util-linux, which brings prlimit and setpriv.'],
  [/ENOENT/, 'Install bubblewrap: apt-get install bubblewrap, or dnf install bubblewrap.'],
  [/[Uu]nknown option/, 'Install a newer bubblewrap: 0.8.0 is the oldest that does.'],
  [
    /RTM_NEWADDR|uid map/,
    'AppArmor keeps users from making namespaces here: install the profile bwrap-userns-restrict (package apparmor-profiles), or set kernel.apparmor_restrict_unprivileged_userns=0.',
  ],
  [
    /new namespace|namespace failed|Operation not permitted/,
    'This system keeps users from making namespaces: set kernel.unprivileged_userns_clone=1; in a container, run it with seccomp and AppArmor unconfined.',
  ],
]
