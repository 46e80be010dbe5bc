import { describe, expect, test } from 'vitest'

import { judgeReply, type Verdict } from './judge-reply.ts'
import { holdTokens } from './silence.ts'

const speakers = { own: ['Coder', 'coder'], others: ['Mia', 'mia', 'Ann-Lee', 'ann', 'C++ (bot)'] }
const judge = (text: string, sideEffects = false): Verdict =>
  judgeReply({ text, speakers, sideEffects })
const say = (text: string): Verdict => ({ kind: 'say', text })
const declined: Verdict = { kind: 'passed', because: 'declined' }

test('a text is said as it is', () => {
  expect(judge(' All tests pass.\n')).toEqual(say('All tests pass.'))
})

describe('silence', () => {
  test('an empty text is silence', () => {
    expect(judge(' \n ')).toEqual({ kind: 'silent' })
  })

  test('[C6] silence after a side effect is named, however it is worded', () => {
    const named = { kind: 'silent', because: 'after_side_effects' }
    expect(judge('', true)).toEqual(named)
    expect(judge('NO_REPLY', true)).toEqual(named)
    expect(judge('done', true)).toEqual(say('done'))
  })

  test.each([
    'NO_REPLY',
    '[SILENT]',
    '**IGNORE**',
    'no reply.',
    '`PASS`',
    '(No_Response)',
    'coder: SKIP',
  ])('[C5] the token %s alone passes', (text) => {
    expect(judge(text)).toEqual(declined)
  })

  test.each([
    'No reply - that is chatter',
    'No response needed.',
    '(no reply necessary)',
    'Nothing to add.',
    'I have nothing more to add here.',
    "I'll stay silent on this one.",
    'I pass.',
    '@mia',
    '@mia, @ann!',
  ])('[C3] a text that only declines passes: %s', (text) => {
    expect(judge(text)).toEqual(declined)
  })

  test.each([
    'No reply from the server yet',
    'No response: the server timed out',
    'IGNORE the first line of the file.',
    'Pass the salt',
    'Nothing to add? I have a question.',
    'No reply needed, @ann will tell you.',
    'I pass the tests now: 12 of 12.',
    '@mia done',
    'Pass.',
  ])('a text that says something is said: %s', (text) => {
    expect(judge(text)).toEqual(say(text))
  })
})

describe('speaking for others', () => {
  test.each(['coder: done', 'Coder: done', '**Coder:** done', '[coder]: done', '@coder : done'])(
    '[E9] the own label is cut once: %s',
    (text) => {
      expect(judge(text)).toEqual(say('done'))
    },
  )

  test('[E9] it is cut only once, and only at the beginning', () => {
    expect(judge('coder: coder: done')).toEqual(say('coder: done'))
    expect(judge('I am\ncoder: done')).toEqual(say('I am\ncoder: done'))
    expect(judge('coders: done')).toEqual(say('coders: done'))
  })

  test.each(['ann: thank you', 'Mia: and now?', '**ann:** yes', 'C++ (bot): ok'])(
    '[E9] a reply is cut before a line that speaks for somebody else: %j',
    (line) => {
      expect(judge(`Done.\n\n${line}\nmore`)).toEqual({
        kind: 'say',
        text: 'Done.',
        because: 'spoke_for_others',
      })
    },
  )

  test('[I1] [E9] a copied header is cut wherever it stands', () => {
    const header = '{"from":"Mia","is":"person","n":3}'
    expect(judge(`Done.\n${header}\n| go on`)).toMatchObject({ text: 'Done.' })
    expect(judge(`${header}\n| go on`)).toEqual({ kind: 'silent', because: 'spoke_for_others' })
  })

  test.each([
    'Who does what:\nMia: the tests\nAnn: the text',
    'Who does what:\n\nMia: the tests\n\nAnn: the text',
    'Mia: the tests\nAnn: the text',
    'Log:\n```\nok\nMia: hello\n```',
    'Mia said: go on.',
    '- Mia: the tests',
    'See mia:8080 for it',
  ])('a list, a quotation and code stay: %j', (text) => {
    expect(judge(text)).toEqual(say(text))
  })

  test('where nobody else is, nobody is spoken for', () => {
    const alone = { own: ['x'], others: [] }
    const text = 'Done.\nMia: yes'
    expect(judgeReply({ text, speakers: alone, sideEffects: false })).toEqual(say(text))
  })
})

describe('a stream', () => {
  const stream = (...deltas: readonly string[]): readonly string[] => {
    const shown: string[] = []
    const held = holdTokens((text) => shown.push(text))
    for (const delta of deltas) held.push(delta)
    return shown
  }

  test('[C5] shows not even half a token', () => {
    expect(stream('NO', '_RE', 'PLY')).toEqual([])
    expect(stream('**[SIL', 'ENT]**')).toEqual([])
  })

  test('shows what was held as soon as it can be no token', () => {
    expect(stream('No', 'rmally', ' yes')).toEqual(['Normally', ' yes'])
    expect(stream('Done', '.')).toEqual(['Done', '.'])
    expect(stream('-'.repeat(30), 'x')).toEqual(['-'.repeat(30), 'x'])
  })

  test('holds anew when it begins anew', () => {
    const shown: string[] = []
    const held = holdTokens((text) => shown.push(text))
    held.push('Looking.')
    held.restart()
    held.push('NO_REPLY')
    expect(shown).toEqual(['Looking.'])
  })
})
