// Changes the pure core bit by bit and counts how many changes the tests beside each file notice.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

import { Stryker } from '@stryker-mutator/core'

const leastScore = 85
const { mutate } = JSON.parse(readFileSync('stryker.config.json', 'utf8'))
const counts = new Map(mutate.map((file) => [file, { noticed: 0, all: 0 }]))

for (const { fileName, status } of await new Stryker({}).runMutationTest()) {
  const count = counts.get(relative('.', fileName))
  if (status === 'Killed' || status === 'Timeout') count.noticed += 1
  if (status !== 'Ignored' && status !== 'CompileError' && status !== 'RuntimeError') count.all += 1
}

for (const [file, { noticed, all }] of counts) {
  // A file that is gone or was renamed has no changes to notice, and must not pass for that.
  const score = all === 0 ? 0 : (100 * noticed) / all
  console.log(`${score.toFixed(1).padStart(5)} % of ${all} changes noticed in ${file}`)
  if (score < leastScore) process.exitCode = 1
}
if (process.exitCode === 1) console.error(`a file stands below ${leastScore} %`)
