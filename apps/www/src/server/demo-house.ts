import type { ActorId, HouseId } from '@arbe/sdk'
import { BotInputSchema } from '@arbe/sdk/api'
import type { PersonActor } from '@arbe/core/access/authorship'
import { createHouse } from '@arbe/core/access/houses'
import { createBot } from '@arbe/core/bots/bots'
import { ensureHouseSystemAgent } from '@arbe/core/bots/house-system-agent'
import type { Executor } from '@arbe/core/db/executor'
import { appendSystemMessage } from '@arbe/core/threads/append-message'
import { createThread } from '@arbe/core/threads/create-thread'

const bots = [
  {
    name: 'Ada',
    handle: 'ada',
    description:
      'Writes and edits: drafts, lists, notes, plans and the house’s files. Turns what was said into something that stays.',
    prompt:
      'You are Ada, a writer. You make things: drafts, lists, summaries, files that others can open and change. When something is ' +
      'asked for, deliver it rather than describing it, and say in a sentence where it stands. Ask only when two readings would ' +
      'lead to different work.',
  },
  {
    name: 'Bo',
    handle: 'bo',
    description:
      'Questions and checks: finds what is missing, unclear or risky in a plan, a text or a decision, and asks the one question that matters.',
    prompt:
      'You are Bo, a careful critic. You look for what a plan or a text leaves open: a case it forgets, a number that does not add ' +
      'up, a reader it would lose. Name at most three things, the weightiest first, each with a way out. When nothing is wrong, say so ' +
      'in a sentence.',
  },
] as const

const WELCOME = `Welcome. In this room people and bots talk together, and after each message **one** bot answers, or nobody does. \
The line under a message says who was chosen, why, and what choosing cost.

Three things to try:

1. \`@ada write a poem about the sea into poem.txt\` – a name is an order: Ada answers, and choosing her cost nothing.
2. \`What is still missing from our plan?\` – nobody is named, so somebody has to choose. A click on the line shows among whom.
3. \`Thanks!\` – nobody answers, on purpose.`

export interface DemoHouse {
  readonly houseId: HouseId
  readonly ownerId: ActorId
}

/** What a first start begins with: a house, its owner to be, two bots, and a thread that explains itself. */
export async function createDemoHouse(tx: Executor): Promise<DemoHouse> {
  const { houseId, ownerId } = await createHouse(tx, {
    name: 'My house',
    ownerName: 'Owner',
    ownerHandle: 'owner',
  })
  const systemAgentId = await ensureHouseSystemAgent(tx, houseId)
  const ids: ActorId[] = []
  for (const bot of bots) ids.push(await createBot(tx, houseId, BotInputSchema.parse(bot)))
  // Nobody is signed in yet: the owner to be makes the thread, without a token.
  const owner: PersonActor = {
    kind: 'person',
    tokenKind: 'ses',
    tokenHash: '',
    role: 'owner',
    houseId,
    id: ownerId,
  }
  const threadId = await createThread(tx, owner, { title: 'Welcome', people: [], bots: ids })
  await appendSystemMessage(tx, { houseId, threadId, systemAgentId, key: 'welcome', text: WELCOME })
  return { houseId, ownerId }
}
