import { parseArgs } from 'node:util'
import { simulate } from '../test/simulation/simulate.ts'

// npm run simulate -- --seeds 1000000 --from 1    looks for a seed that breaks a promise
// SEED=17 npm run simulate                        tells what happens in one

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5000' },
    from: { type: 'string', default: '1' },
    most: { type: 'string', default: '5' },
  },
})
const toTell = process.env['SEED']
if (toTell === undefined) await lookThrough(Number(values.from), Number(values.seeds))
else await tell(Number(toTell))

async function lookThrough(from: number, seeds: number): Promise<void> {
  const before = process.cpuUsage()
  const sum = { events: 0, turns: 0, broken: 0 }
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { found, events, turns } = await simulate(seed)
    sum.events += events
    sum.turns += turns
    if (found.length === 0) continue
    sum.broken += 1
    console.log(`seed ${seed} breaks:\n  ${found.join('\n  ')}\nSEED=${seed} npm run simulate\n`)
    if (sum.broken >= Number(values.most)) break
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  console.log(JSON.stringify({ seeds, ...sum, cpuSeconds: Math.round(seconds * 10) / 10 }))
  process.exitCode = sum.broken > 0 ? 1 : 0
}

async function tell(seed: number): Promise<void> {
  const { found, hash } = await simulate(seed, { onEvent: (line) => console.log(line) })
  console.log(`seed ${seed}, hash ${hash}`)
  for (const one of found) console.log(one)
  process.exitCode = found.length > 0 ? 1 : 0
}
