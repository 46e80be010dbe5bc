// `npm run bench` runs every workload in order, `npm run bench -- w4 w7` these two. One JSON line a figure.
import { readdir } from 'node:fs/promises'
import { reportFor } from './report.ts'

const numberOf = (file) => Number(/^w(\d+)-/.exec(file)?.[1])
const files = (await readdir(import.meta.dirname))
  .filter((file) => /^w\d+-.*(?<!\.test)\.ts$/.test(file))
  .toSorted((a, b) => numberOf(a) - numberOf(b))
const wanted = process.argv.slice(2).map((name) => name.toLowerCase())
const unknown = wanted.find((name) => !files.some((file) => file.startsWith(`${name}-`)))
if (unknown !== undefined) {
  console.error(`there is no workload "${unknown}"; there are: ${files.join(', ')}`)
  process.exit(1)
}

for (const file of files) {
  const workload = `w${numberOf(file)}`
  if (wanted.length > 0 && !wanted.includes(workload)) continue
  const { run } = await import(`./${file}`)
  await run(reportFor(workload.toUpperCase(), console.log))
}
