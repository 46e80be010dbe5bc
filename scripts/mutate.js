// Changes the pure core bit by bit and counts how many changes the tests beside each file notice.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

import { Stryker } from '@stryker-mutator/core'

const leastOfFile = 85
// What chooses who speaks is held to more, taken together.
const leastOfArea = 90
const areas = { 'the thread director': '/thread-director/', mentions: '/sdk/mention' }

const { mutate } = JSON.parse(readFileSync('stryker.config.json', 'utf8'))
const counts = new Map(mutate.map((file) => [file, { noticed: 0, all: 0 }]))

for (const { fileName, status } of await new Stryker({}).runMutationTest()) {
  const count = counts.get(relative('.', fileName))
  if (status === 'Killed' || status === 'Timeout') count.noticed += 1
  if (status !== 'Ignored' && status !== 'CompileError' && status !== 'RuntimeError') count.all += 1
}

for (const [file, count] of counts) hold(file, count, leastOfFile)
for (const [name, part] of Object.entries(areas)) {
  const inArea = [...counts].filter(([file]) => file.includes(part)).map(([, count]) => count)
  const sum = (of) => inArea.reduce((total, count) => total + count[of], 0)
  hold(name, { noticed: sum('noticed'), all: sum('all') }, leastOfArea)
}

function hold(what, { noticed, all }, least) {
  // A file that is gone or was renamed has no changes to notice, and must not pass for that.
  const score = all === 0 ? 0 : (100 * noticed) / all
  console.log(`${score.toFixed(1).padStart(5)} % of ${all} changes noticed in ${what}`)
  if (score >= least) return
  process.exitCode = 1
  console.error(`${what} stands below ${least} %`)
}
