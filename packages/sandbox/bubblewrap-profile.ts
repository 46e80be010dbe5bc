import type { BoxNetwork } from '@arbe/core/dispatch/sandbox'

export interface BoxProfile {
  /** Host folder that is the box's working folder; owned by who runs bubblewrap. */
  readonly folder: string
  readonly network: BoxNetwork
  readonly variables: Readonly<Record<string, string>>
  /** Relative to the working folder. */
  readonly cwd: string
}

/** Where a box has its working folder, which is also its home. */
export const WORKSPACE = '/workspace'

/**
 * What bubblewrap is asked for: new namespaces, nothing of the host but /usr, one writable folder, no capability. The read-only
 * remounts come after every bind, since without them /, /dev and /dev/shm are memory of the host without a limit.
 */
export function bubblewrapArgs(profile: BoxProfile): readonly string[] {
  const variables = Object.entries({ ...VARIABLES, ...profile.variables })
  const readable = profile.network === 'open' ? [...READABLE, ...NAMES] : READABLE
  return [
    ['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    profile.network === 'none' ? ['--unshare-net'] : [],
    // A box in the box could hide from its limits.
    ['--disable-userns'],
    // --new-session takes the terminal away, so that a prompt on /dev/tty fails at once.
    ['--die-with-parent', '--new-session', '--clearenv', '--hostname', 'box'],
    variables.flatMap(([name, value]) => ['--setenv', name, value]),
    ['--ro-bind', '/usr', '/usr'],
    LINKS.flatMap(([target, at]) => ['--symlink', target, at]),
    readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc', '--dev', '/dev'],
    ['--size', `${64 << 20}`, '--tmpfs', '/tmp'],
    ['--bind', profile.folder, WORKSPACE],
    ['--size', `${16 << 20}`, '--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', profile.cwd === '' ? WORKSPACE : `${WORKSPACE}/${profile.cwd}`],
    ['--cap-drop', 'ALL'],
  ].flat()
}

/** What limits each process of a box, on top of what it may see. */
export const LIMITS = [
  'prlimit',
  '--core=0',
  '--nofile=1024',
  // By user and namespace, so one box does not count another's.
  '--nproc=256',
  `--fsize=${1 << 30}`,
  // A process; Node starts with less.
  `--data=${2 ** 31}`,
] as const

const VARIABLES = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: WORKSPACE,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  // Tools that would ask a person take their default instead.
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
  npm_config_yes: 'true',
}

const LINKS = [
  ['usr/bin', '/bin'],
  ['usr/sbin', '/sbin'],
  ['usr/lib', '/lib'],
  ['usr/lib64', '/lib64'],
] as const

const READABLE = ['/etc/alternatives', '/etc/ssl', '/etc/ld.so.cache']
const NAMES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf']
