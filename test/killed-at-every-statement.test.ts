import type { Entry } from '@arbe/sdk'
import { describe, expect, test } from 'vitest'
import { checkStream } from './support/check-stream.ts'
import { ofKind } from './support/read-turns.ts'
import {
  callsIn,
  commandsIn,
  embeddedGround,
  errorsOf,
  type KillGround,
  pointsIn,
  reportOf,
  type Scene,
  serverGround,
  type Survivor,
  undisturbed,
} from './support/kill-ground.ts'
import type { KillPoint } from './support/killed-house-order.ts'
import { requireOrSkip } from './support/require.ts'
import { LOG_AFTER } from './support/two-round-models.ts'

// Every process here is a real one and dies by SIGKILL. The statements are counted in a run that nobody disturbs, so the list of
// deaths grows with the code. The sweep is off throughout: what is lost stays lost.
//
// A server gets all of them. The embedded engine, which has to start again after each, gets the deaths before every
// second statement (nothing is written between the end of one and the beginning of the next); SEED says which half, ARBE_KILL=all
// gives it all.

const MINUTES = 60_000

const named: Scene = { says: '@ada put a line into the log' }
const unnamed: Scene = { says: 'somebody put a line into the log, please' }

describe.skipIf(requireOrSkip('postgres'))('on postgres', () => {
  test(
    '[D7][E16][I3][I8] a worker killed before or after any statement of a turn leaves one reply, one outcome and one effect',
    { timeout: 10 * MINUTES },
    async () => {
      const toDeaths = (statements: readonly string[]) => deathsAt(statements, ['before', 'after'])
      expect(await brokenAnywhere(serverGround, toDeaths)).toEqual([])
    },
  )

  test(
    '[D7][I1] a worker killed at any statement of a paid decision leaves one decision',
    { timeout: 5 * MINUTES },
    async () => {
      const clean = await undisturbed(serverGround, unnamed)
      const stored = statementsOf(clean).findIndex((text) => text.includes('store_decision'))
      expect(kindsOf(clean)).toContain('signal.thread_director.decision')
      const deaths = deathsAt(statementsOf(clean).slice(0, stored + 1), ['before', 'after'])
      const survivors = await serverGround(unnamed, deaths)
      expect(survivors.flatMap((survivor) => brokenIn(survivor, clean))).toEqual([])
      expect(new Set(survivors.map(firstDecisionOf))).toEqual(new Set(['paid']))
    },
  )

  test(
    '[I3][I7] a worker killed around a renewal of its lease leaves one reply',
    { timeout: 5 * MINUTES },
    async () => {
      const clean = await undisturbed(serverGround, named)
      const dying = { silentFrom: 1, leaseMs: 3_000 }
      const deaths = deathsAt(['first renewal', 'second renewal'], ['before', 'after'], 'renewals')
      const survivors = await serverGround(
        { ...named, first: dying, afterwards: { isLater: false } },
        deaths,
      )
      expect(survivors.flatMap((survivor) => brokenIn(survivor, clean))).toEqual([])
    },
  )

  test(
    '[I8] a turn that kills three workers is interrupted, says so, and does not get a fourth',
    { timeout: 5 * MINUTES },
    async () => {
      const asked = (number: number): KillPoint => ({ when: 'before', number, among: 'calls' })
      const survivors = await serverGround(named, [
        [asked(1), asked(1), asked(1)],
        [asked(2), asked(1), asked(1)],
      ])
      const outcome = 'signal.thread_director.outcome'
      expect(survivors.map((survivor) => kindsOf(survivor).slice(4))).toEqual([
        [outcome],
        ['pi.assistant', 'pi.tool_result', 'pi.tool_result', outcome],
      ])
      expect(survivors.map(becauseOf)).toEqual([
        ['interrupted: attempts'],
        ['interrupted: attempts'],
      ])
      expect(survivors.map((one) => checkStream(reportOf(one).entries, { quiet: true }))).toEqual([
        [],
        [],
      ])
    },
  )

  test(
    '[R-32][I8] a worker killed at any statement of a turn with a command that cannot be repeated runs it once at most, and says where it may have',
    { timeout: 10 * MINUTES },
    async () => {
      const command: Scene = {
        ...named,
        first: { isCommand: true },
        afterwards: { isCommand: true },
      }
      const clean = await undisturbed(serverGround, command)
      const survivors = await serverGround(command, deathsAt(statementsOf(clean), ['before']))
      const told = survivors.map((survivor) => {
        const runs = [...survivor.killed, survivor.last].map((run) =>
          commandsIn(run, survivor.threadId),
        )
        const [outcome] = becauseOf(survivor)
        return `ran ${runs.reduce((a, b) => a + b)}: ${outcome}`
      })
      // Between the call on record and its result nobody knows whether it ran.
      expect(told.filter((line) => !ENDS_OF_COMMAND.includes(line))).toEqual([])
      expect(new Set(told)).toEqual(new Set(ENDS_OF_COMMAND))
      const broken = survivors.flatMap((one) => checkStream(reportOf(one).entries, { quiet: true }))
      expect([broken, survivors.flatMap(errorsOf)]).toEqual([[], []])
    },
  )

  const stopped: Scene = {
    ...named,
    first: { silentFrom: 1, stop: { key: 'ses:mia:stop', at: 'silence' } },
  }

  test(
    '[L7][I3] a Stop that was killed at any of its statements and is sent again ends the turn once',
    { timeout: 5 * MINUTES },
    async () => {
      const clean = await undisturbed(serverGround, stopped)
      const again = {
        ...stopped,
        afterwards: { stop: { key: 'ses:mia:stop', at: 'start' } },
      } as const
      const survivors = await serverGround(
        again,
        deathsAt(stopPointsOf(clean), ['before', 'after'], 'stop'),
      )
      expect(kindsOf(clean).slice(-2)).toEqual(['thread.stop', 'signal.thread_director.outcome'])
      expect(survivors.flatMap((survivor) => brokenIn(survivor, clean))).toEqual([])
    },
  )

  test(
    '[I3] a Stop that was killed and is not sent again has happened or has not',
    { timeout: 5 * MINUTES },
    async () => {
      const cancelled = await undisturbed(serverGround, stopped)
      const replied = await undisturbed(serverGround, named)
      const survivors = await serverGround(
        stopped,
        deathsAt(stopPointsOf(cancelled), ['before', 'after'], 'stop'),
      )
      const clean = (survivor: Survivor): Survivor =>
        kindsOf(survivor).includes('thread.stop') ? cancelled : replied
      expect(survivors.flatMap((survivor) => brokenIn(survivor, clean(survivor)))).toEqual([])
      expect(survivors.map((survivor) => clean(survivor) === cancelled)).toContain(true)
      expect(survivors.map((survivor) => clean(survivor) === cancelled)).toContain(false)
    },
  )
})

describe('on pglite', () => {
  test(
    '[D7][E16][I3][I8] a house killed at any statement of a turn leaves one reply, one outcome and one effect',
    { timeout: 15 * MINUTES },
    async () => {
      expect(await brokenAnywhere(embeddedGround, embeddedDeaths)).toEqual([])
    },
  )
})

const ENDS_OF_COMMAND = [
  'ran 1: replied: undefined',
  'ran 0: interrupted: outcome_unknown',
  'ran 1: interrupted: outcome_unknown',
]

type Deaths = readonly (readonly KillPoint[])[]

function embeddedDeaths(statements: readonly string[]): Deaths {
  if (process.env['ARBE_KILL'] === 'all') return deathsAt(statements, ['before', 'after'])
  const seed = Number(process.env['SEED'] ?? new Date().getDate())
  console.log(`SEED=${seed}: every second statement`)
  return deathsAt(statements, ['before']).filter((_, index) => (index + seed) % 2 === 0)
}

async function brokenAnywhere(
  ground: KillGround,
  toDeaths: (statements: readonly string[]) => Deaths,
): Promise<readonly string[]> {
  const clean = await undisturbed(ground, named)
  const deaths = toDeaths(statementsOf(clean))
  console.log([`${deaths.length} deaths at`, ...statementsOf(clean).map(briefly)].join('\n'))
  const survivors = await ground(named, deaths)
  return survivors.flatMap((survivor) => brokenIn(survivor, clean))
}

function deathsAt(
  points: readonly string[],
  whens: readonly KillPoint['when'][],
  among: KillPoint['among'] = 'statements',
): Deaths {
  return points.flatMap((_, index) => whens.map((when) => [{ when, number: index + 1, among }]))
}

/** What a survivor lacks, or has too much of, beside the run that nobody disturbed; each line begins with where the process died. */
function brokenIn(survivor: Survivor, clean: Survivor): readonly string[] {
  const report = reportOf(survivor)
  const { entries, found, file, booked } = report
  const calls = [...survivor.killed, survivor.last].map((run) => callsIn(run, survivor.threadId))
  const roundsFound = ofKind(found, 'pi.assistant').length
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['processes that were killed', survivor.killed.every(({ wasKilled }) => wasKilled), true],
    ['promises broken', checkStream(entries, { quiet: true }), []],
    ['kinds', kindsOf(survivor), kindsOf(clean)],
    ['entries lost', entries.slice(0, found.length), found],
    ['file', file, { versions: 2, content: LOG_AFTER }],
    ['model calls after it', calls.at(-1), roundsOf(clean) - roundsFound],
    ['calls that no book knows', Math.max(0, calls.reduce((a, b) => a + b) - booked), 0],
    ['errors', errorsOf(survivor), []],
  ]
  return facts
    .map(([what, is, should]) => [what, JSON.stringify(is), JSON.stringify(should)] as const)
    .filter(([, is, should]) => is !== should)
    .map(([what, is, should]) => `${diedAt(survivor)}: ${what}: ${is}, not ${should}`)
}

function diedAt({ points }: Survivor): string {
  return points.map(({ when, among, number }) => `${when} ${among} ${number}`).join(', ')
}

function kindsOf(survivor: Survivor): readonly Entry['kind'][] {
  return reportOf(survivor).entries.map(({ kind }) => kind)
}

function roundsOf(survivor: Survivor): number {
  return ofKind(reportOf(survivor).entries, 'pi.assistant').length
}

function becauseOf(survivor: Survivor): readonly string[] {
  const outcomes = ofKind(reportOf(survivor).entries, 'signal.thread_director.outcome')
  return outcomes.map(({ body }) => `${body.status}: ${body.because}`)
}

function firstDecisionOf(survivor: Survivor): string | undefined {
  return ofKind(reportOf(survivor).entries, 'signal.thread_director.decision')[0]?.body.kind
}

const statementsOf = ({ last }: Survivor): readonly string[] => pointsIn(last, 'statements')
const stopPointsOf = ({ last }: Survivor): readonly string[] => pointsIn(last, 'stop')

function briefly(text: string, index: number): string {
  return `${String(index + 1).padStart(3)} ${text.slice(0, 90)}`
}
