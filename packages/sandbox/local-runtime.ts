import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedBox, RuntimeHealth, SandboxRuntime } from '@arbe/core/dispatch/sandbox'
import { z } from 'zod'
import { type BoxFolder, boxFolder, makeFolder, removeFolder } from './box-folder.ts'
import { localBox } from './local-box.ts'
import { probeBubblewrap } from './probe-bubblewrap.ts'

const NAME = 'local'

export interface LocalPlace {
  /** A folder of the server's own. */
  readonly root: string
  /** The program; found by PATH without it. */
  readonly bubblewrap?: string
  /** What the files of one box may take together. */
  readonly maxBytes?: number
}

const BOX_BYTES = 5 * 2 ** 30

/** Boxes on this machine, each a folder under `root`, each command in it a bubblewrap of its own. */
export function localRuntime(place: LocalPlace): SandboxRuntime {
  const { root, bubblewrap = 'bwrap', maxBytes = BOX_BYTES } = place
  const folderOf = (id: string): BoxFolder => boxFolder(join(root, id), { bubblewrap, maxBytes })
  // What works goes on working; what does not may have been mended.
  let health: RuntimeHealth = { status: 'broken', reason: 'not tried', remedy: '' }
  return {
    name: NAME,
    async probe() {
      if (health.status === 'broken') health = await probeBubblewrap(bubblewrap)
      return health
    },
    async create({ labels }) {
      const id = randomBytes(10).toString('hex')
      await makeFolder(folderOf(id))
      // Last: a box without its card was never finished, and is no box.
      await writeFile(join(root, id, CARD), JSON.stringify({ labels }))
      return { runtime: NAME, id }
    },
    async resolve(ref, means) {
      const exists = (await readCard(root, ref.id)) !== undefined
      return exists ? localBox(ref, folderOf(ref.id), means) : undefined
    },
    async destroy({ id }) {
      if (!isBoxId(id)) return
      // First, so that nothing starts in it any more.
      await rm(join(root, id, CARD), { force: true })
      await removeFolder(folderOf(id))
    },
    async list() {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const names = (await readdir(root)).filter(isBoxId)
      const boxes = await Promise.all(names.map((id) => readCard(root, id)))
      return boxes.filter((box) => box !== undefined)
    },
  }
}

const CARD = 'box.json'
const Card = z.object({ labels: z.record(z.string(), z.string()) })
const isBoxId = (id: string): boolean => /^[0-9a-f]{20}$/.test(id)

async function readCard(root: string, id: string): Promise<ListedBox | undefined> {
  if (!isBoxId(id)) return undefined
  try {
    const { labels } = Card.parse(JSON.parse(await readFile(join(root, id, CARD), 'utf8')))
    return { ref: { runtime: NAME, id }, labels }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
