import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

async function pages(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const page of glob(['*.md', 'docs/**/*.md'], { cwd: ROOT })) found.push(page)
  return found
}

/** Targets of Markdown links and images that lead to a file of the repository. */
function localTargets(text: string): readonly string[] {
  const outsideCode = text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  const links = [...outsideCode.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
  return links
    .map(([, link, source]) => link ?? source ?? '')
    .filter((target) => !/^[a-z]+:|^#/.test(target))
    .map((target) => target.replace(/#.*$/, ''))
}

test('every link of the documentation leads to a file', async () => {
  const broken: string[] = []
  for (const page of await pages()) {
    for (const target of localTargets(await readFile(join(ROOT, page), 'utf8'))) {
      const path = normalize(join(dirname(page), target))
      if (!existsSync(join(ROOT, path))) broken.push(`${page} → ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('every page of the documentation can be reached from the index', async () => {
  const index = localTargets(await readFile(join(ROOT, 'docs/index.md'), 'utf8'))
  const reached = new Set(['docs/index.md', ...index.map((target) => join('docs', target))])
  const all = (await pages()).filter((page) => page.startsWith('docs/'))
  expect(all.filter((page) => !reached.has(page))).toEqual([])
})
