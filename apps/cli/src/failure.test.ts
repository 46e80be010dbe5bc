import { ApiError } from '@arbe/sdk/client'
import { FeedRefused } from '@arbe/sdk/live-feed'
import { expect, test } from 'vitest'
import { CliError, EXIT } from './exit.ts'
import { exitCodeOf, sentenceOf } from './failure.ts'

const refusal = (status: number, code = 'x'): ApiError =>
  new ApiError({ status, code, detail: 'No.' })
const notSent = (cause: unknown): Error => new TypeError('fetch failed', { cause })

test.each([
  [new CliError(EXIT.timedOut, 'Late.'), 124],
  [refusal(400), 2],
  [refusal(401), 4],
  [refusal(403), 4],
  [refusal(404), 3],
  [refusal(409), 5],
  [refusal(413), 1],
  [refusal(429), 1],
  [refusal(500), 1],
  [new FeedRefused(401), 4],
  [new Error('a bug'), 1],
  ['a string', 1],
])('%s ends with %i', (error, code) => {
  expect(exitCodeOf(error)).toBe(code)
})

test.each([
  [refusal(404), 'No.'],
  [refusal(401, 'unauthorized'), 'No. Log in again: arbe login <link>.'],
  [refusal(401, 'link_refused'), 'No.'],
  [
    notSent(new Error('connect ECONNREFUSED 127.0.0.1:1')),
    'The house does not answer: connect ECONNREFUSED 127.0.0.1:1.',
  ],
  [
    notSent(new AggregateError([new Error('connect to ::1'), new Error('connect to 127.0.0.1')])),
    'The house does not answer: connect to ::1, connect to 127.0.0.1.',
  ],
  [notSent(undefined), 'The house does not answer: no connection.'],
  [new Error('It broke.'), 'It broke.'],
  ['as it is', 'as it is'],
])('%s is said as %j', (error, sentence) => {
  expect(sentenceOf(error)).toBe(sentence)
})
