// `npm run bench` runs every workload in order, `npm run bench -- w4 w7` these two. One JSON line a figure.
// `--baseline FILE` keeps them, `--compare FILE` fails where one is worse than those by more than a fifth: on the same machine only.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { findRegressions, readFigures } from './compare.ts'
import { reportFor } from './report.ts'

const { values: files, positionals } = parseArgs({
  options: { baseline: { type: 'string' }, compare: { type: 'string' } },
  allowPositionals: true,
})
const numberOf = (file) => Number(/^w(\d+)-/.exec(file)?.[1])
const workloads = (await readdir(import.meta.dirname))
  .filter((file) => /^w\d+-.*(?<!\.test)\.ts$/.test(file))
  .toSorted((a, b) => numberOf(a) - numberOf(b))
const wanted = positionals.map((name) => name.toLowerCase())
const unknown = wanted.find((name) => !workloads.some((file) => file.startsWith(`${name}-`)))
if (unknown !== undefined) {
  console.error(`there is no workload "${unknown}"; there are: ${workloads.join(', ')}`)
  process.exit(1)
}
// Read first: a file that is not there should not be found out after minutes.
const baseline = files.compare && readFigures(await readFile(files.compare, 'utf8'))

const lines = []
const print = (line) => {
  lines.push(line)
  console.log(line)
}
for (const file of workloads) {
  const workload = `w${numberOf(file)}`
  if (wanted.length > 0 && !wanted.includes(workload)) continue
  const { run } = await import(`./${file}`)
  await run(reportFor(workload.toUpperCase(), print))
}

if (files.baseline !== undefined) await writeFile(files.baseline, `${lines.join('\n')}\n`)
const worse = baseline === undefined ? [] : findRegressions(baseline, readFigures(lines.join('\n')))
for (const line of worse) console.error(line)
process.exitCode = worse.length > 0 ? 1 : 0
