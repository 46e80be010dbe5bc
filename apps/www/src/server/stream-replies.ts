import { z } from '@hono/zod-openapi'
import type { Entry } from '@arbe/sdk'
import type { DecisionRecord, DirectorReplay, ModelAsked, WhoWouldSpeak } from '@arbe/sdk/api'

// What comes from the stream was checked when it was written: these describe it, they do not check it again.
const text = { type: 'string' } as const
const integer = { type: 'integer' } as const
const object = { type: 'object' } as const

export const EntryReply = z.custom<Entry>().openapi('Entry', {
  type: 'object',
  description: 'One entry of a thread’s stream; `body` is of the shape its `kind` has.',
  required: ['threadId', 'seq', 'key', 'kind', 'authorId', 'authorKind', 'body', 'createdAt'],
  properties: {
    threadId: text,
    seq: { ...integer, description: 'Its position: 1, 2, 3 … without gaps' },
    key: text,
    kind: text,
    authorId: text,
    authorKind: { type: 'string', enum: ['person', 'bot', 'system', 'director', 'webhook'] },
    wakes: { type: 'boolean' },
    readable: { type: 'boolean' },
    causedBy: { type: ['integer', 'null'], description: 'The decision whose turn wrote it' },
    hops: integer,
    body: object,
    createdAt: { type: 'string', format: 'date-time' },
  },
})

export const DecisionReply = z.custom<DecisionRecord>().openapi('DecisionRecord', {
  type: 'object',
  description:
    'Who was chosen and why, and what came of it: null while the turn runs, or when nobody spoke.',
  required: ['seq', 'at', 'decision', 'outcome'],
  properties: {
    seq: integer,
    at: { type: 'string', format: 'date-time' },
    decision: object,
    outcome: { type: ['object', 'null'] },
  },
})

const number = { type: 'number' } as const
const boolean = { type: 'boolean' } as const

export const ModelAskedReply = z.custom<ModelAsked>().openapi('ModelAsked', {
  type: 'object',
  description: 'One call of a model for a decision, as it was sent and as it was answered.',
  required: ['at', 'model', 'request', 'answered', 'usage', 'cost', 'error'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    model: text,
    request: {
      ...object,
      description:
        'System prompt, messages and tools as they were sent; `candidates` says whom its ids mean, `attempt` is 2 after an answer that could not be used',
    },
    answered: {
      type: ['string', 'null'],
      description: 'JSON of what the model gave, 16 KiB at most; null while it has not answered',
    },
    usage: { type: ['object', 'null'] },
    cost: { ...number, description: 'US dollars' },
    error: { type: ['string', 'null'] },
  },
})

export const WhoWouldSpeakReply = z.custom<WhoWouldSpeak>().openapi('WhoWouldSpeak', {
  type: 'object',
  description:
    '`decided` holds the decision as it would be stored. `paid_needed`: no rule answers, and a model would choose among the eligible, for about this price.',
  required: ['kind', 'running', 'behind', 'modeFrom'],
  properties: {
    kind: { type: 'string', enum: ['decided', 'paid_needed'] },
    running: {
      type: ['string', 'null'],
      description: 'The bot whose turn runs; the answer holds for when it ends without a word',
    },
    behind: {
      ...boolean,
      description:
        'So much waits that the text would be decided later: this is about what is first',
    },
    modeFrom: {
      type: ['string', 'null'],
      enum: ['thread', 'bot', 'house', null],
      description: 'What sets the mode of the bot that is tried out',
    },
    decision: object,
    candidates: { type: 'array', items: object },
    nobodyAllowed: boolean,
    model: text,
    inputTokens: integer,
    cost: { ...number, description: 'US dollars, about' },
  },
})

export const DirectorReplayReply = z.custom<DirectorReplay>().openapi('DirectorReplay', {
  type: 'object',
  description:
    'Decisions as they were stored and as they would be made with what was known then, oldest first; names, descriptions, bots’ own modes and the house’s limits are today’s.',
  required: ['decisions', 'same', 'different', 'notComparable', 'notAsked', 'notReplayed', 'cost'],
  properties: {
    decisions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['seq', 'at', 'verdict', 'stored', 'now', 'note'],
        properties: {
          seq: integer,
          at: { type: 'string', format: 'date-time' },
          verdict: {
            type: 'string',
            enum: ['same', 'different', 'not_comparable', 'not_asked', 'not_replayed'],
            description:
              'not_comparable: a model was asked now, and none answered then. not_asked: a model’s to make, then as now, and none was named. not_replayed: not made by the director, or the model could not be asked; `note` says which.',
          },
          stored: object,
          now: { type: ['object', 'null'] },
          note: { type: ['string', 'null'] },
        },
      },
    },
    same: integer,
    different: integer,
    notComparable: integer,
    notAsked: integer,
    notReplayed: integer,
    cost: {
      type: 'object',
      description:
        'US dollars that choosing cost: then, but for what is not made again, and now; null when no model was named',
      required: ['stored', 'now'],
      properties: { stored: number, now: { type: ['number', 'null'] } },
    },
  },
})
