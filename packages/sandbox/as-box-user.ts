// A limit on the number of processes does not hold for root. Where arbe runs as root its boxes run as this user, which exists by
// number alone.
const BOX_USER = 61_442

/** Who runs the boxes: whoever runs arbe, or, for root, a user of its own. */
export function boxUser(): number | undefined {
  return process.getuid?.() === 0 ? BOX_USER : undefined
}

/** Where the box's user finds a folder of root's, which it could not reach by its own path. */
export const BORROWED = '/mnt/box'

/**
 * The words before a bubblewrap that runs as another user: an outer one, which changes nothing but shows the folder at a place that
 * this user can reach, and which keeps no right but to become it.
 */
export function asUser(
  user: number,
  { folder, bubblewrap }: { readonly folder: string; readonly bubblewrap: string },
): readonly string[] {
  return [
    [bubblewrap, '--dev-bind', '/', '/', '--tmpfs', '/mnt', '--bind', folder, BORROWED],
    ['--die-with-parent', '--cap-drop', 'ALL'],
    ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--'],
    ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all'],
    // Becoming another user forgets that it is to die with its parent.
    ['--pdeathsig=KILL', '--'],
  ].flat()
}
