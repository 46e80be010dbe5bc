import type { Database } from '@arbe/core/db/executor'
import { buildAgentTools } from '@arbe/core/dispatch/agent-tools'
import { botToolNames } from '@arbe/core/dispatch/bot-tool-names'
import { systemClock } from '@arbe/core/dispatch/clock'
import { forgetAsked } from '@arbe/core/models/asked-requests'
import type { SandboxRuntimes } from '@arbe/core/dispatch/sandbox'
import { createBooks } from '@arbe/core/models/ledger'
import { createTurnStore } from '@arbe/core/thread-director/turn-store'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Backstage, type BackstageWorld, runBackstage } from './run-backstage.ts'

export type { Backstage } from './run-backstage.ts'

export interface BackstageParts extends Pick<
  BackstageWorld,
  'store' | 'bus' | 'models' | 'config' | 'onError'
> {
  readonly db: Database
  readonly runtimes: SandboxRuntimes
}

/** A worker of this process, with this machine's clock and chance. */
export function startBackstage(parts: BackstageParts): Backstage {
  const { db, runtimes } = parts
  return runBackstage({
    ...parts,
    turns: createTurnStore(db),
    books: createBooks(db),
    buildTools: (ctx) => buildAgentTools(ctx, runtimes),
    toolNames: ({ houseId, threadId, d }) => botToolNames({ db, houseId, threadId, decision: d }),
    clock: systemClock,
    timeOfDay: Date.now,
    random: Math.random,
    newCallId: randomUUID,
    holder: `${hostname()}:${process.pid}:${randomUUID()}`,
    tidyUp: () => forgetAsked(db),
  })
}
