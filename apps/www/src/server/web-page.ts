import type { Context } from 'hono'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { problem, respond } from './problem.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const PAGE = join(import.meta.dirname, '../../dist')
const DOCS = join(import.meta.dirname, '../../../../docs')

/** The built page; any other address of it is a place inside the page. Names of built assets hold their content's hash. */
export async function servePage(c: Context): Promise<Response> {
  const asset = extname(c.req.path) in types ? await readInside(PAGE, c.req.path) : undefined
  if (asset !== undefined) {
    const isHashed = c.req.path.startsWith('/assets/')
    return c.body(asset, 200, {
      'content-type': types[extname(c.req.path)] ?? 'application/octet-stream',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
  }
  if (extname(c.req.path) !== '') return respond(problem('not_found', `There is no ${c.req.path}.`))
  const page = await readInside(PAGE, 'index.html')
  if (page === undefined)
    return c.text('The page is not built: run `npm run build`. The API is under /v1.\n', 404)
  return c.body(page, 200, { 'content-type': types['.html'] ?? '', 'cache-control': 'no-cache' })
}

/** The documentation as it is written, for people and for bots. */
export async function serveDocs(c: Context): Promise<Response> {
  const path = c.req.path.slice('/docs/'.length) || 'index.md'
  const isText = path.endsWith('.md') || path.endsWith('.json')
  const text = isText ? await readInside(DOCS, path) : undefined
  if (text === undefined) return respond(problem('not_found', `There is no page ${c.req.path}.`))
  return c.body(text, 200, {
    'content-type': path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/json',
    'cache-control': 'no-cache',
  })
}

/** Undefined: no such file, or the path leads out of the folder. */
async function readInside(
  folder: string,
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const file = normalize(join(folder, decoded(path)))
  if (!file.startsWith(folder + sep) || file.includes('\0')) return undefined
  try {
    return await readFile(file)
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'EISDIR')
    )
      return undefined
    throw error
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
