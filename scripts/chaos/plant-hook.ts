import { type ModuleSource, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { PLANTS, replaceOnce, type SourceChange } from './plants.ts'

// Loaded by `node --import` before anything of arbe, with the plant's name as the query of its own address.

const ROOT = join(import.meta.dirname, '../..')
const name = new URL(import.meta.url).search.slice(1)
const plant = Object.entries(PLANTS).find(([one]) => one === name)?.[1]
if (plant === undefined) throw new Error(`there is no plant "${name}"`)
const changes: readonly SourceChange[] = plant.source

const textOf = (source: ModuleSource | undefined): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const change = changes.find(({ file }) => pathToFileURL(join(ROOT, file)).href === url)
    if (change === undefined) return loaded
    const source = textOf(loaded.source)
    return { ...loaded, source: replaceOnce(source, change.find, change.put) }
  },
})
