import { expect, test } from 'vitest'
import { Refused } from '@arbe/core/access/refused'
import { EntryRefused } from '@arbe/core/streams/entry-draft'
import { respond, toProblem } from './problem.ts'

const withCode = (code: string): Error => Object.assign(new Error('secret detail'), { code })

test.each([
  ['a refusal of the core', new Refused('last_owner', 'Keep one.'), 409, 'last_owner'],
  ['a text that is too long', new EntryRefused('too_large', 'too long'), 413, 'message_too_long'],
  ['a text that cannot be stored', new EntryRefused('invalid_text', 'U+0000'), 400, 'invalid_body'],
  ['[R-07] a full disk', withCode('53100'), 503, 'not_ready'],
  ['[R-11] a server that shuts down', withCode('57P01'), 503, 'not_ready'],
  ['[R-11] a server that is gone', withCode('ECONNREFUSED'), 503, 'not_ready'],
  ['a statement that is wrong', withCode('42601'), 500, 'internal'],
  ['a bug', new TypeError('secret detail'), 500, 'internal'],
  ['what is no error', 'secret detail', 500, 'internal'],
])('%s is told as it is, without what is inside', (_, error, status, code) => {
  const body = toProblem(error)
  expect([body.status, body.code]).toEqual([status, code])
  expect(JSON.stringify(body)).not.toContain('secret')
})

test('who has to wait is told how long', () => {
  const wait = (error: unknown) => respond(toProblem(error)).headers.get('retry-after')
  expect([wait(withCode('53300')), wait(new TypeError('x'))]).toEqual(['1', null])
})
