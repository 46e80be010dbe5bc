import { describe, expect, test } from 'vitest'
import { bot, directorTrace } from '../../../test/support/director-trace.ts'
import { isAcknowledgement, onlyAcknowledges } from './thread-director-acknowledgement.ts'

test.each([
  'ok',
  'OK!',
  'Okay.',
  'k',
  'thanks',
  'Thank you so much!',
  'thx :)',
  'lol',
  'haha',
  '👍',
  '❤️',
  '🙏🏽 🎉',
  '<3',
  ':-)',
  ':P',
  'ok 👍',
  'Got it, thanks!',
  'great, thank you all',
  'cool cool cool',
  'thanks for that',
  'danke schön',
  'Alles klar, danke',
  'merci beaucoup',
  "d'accord",
  'd’accord',
  'muchas gracias',
  'obrigado',
  'спасибо',
  'ありがとうございます',
  '谢谢',
  '好的',
  '감사합니다',
  'धन्यवाद',
  'شكرا',
  'ＯＫ',
  'so cool',
  'thanks a lot',
  'thanks everyone',
  'thanks again',
  'ok then',
  "that's perfect",
  'this is great',
  'no problem',
  'ok<3thanks',
])('[C8] %j only acknowledges', (text) => {
  expect(isAcknowledgement(text)).toBe(true)
})

test.each([
  '',
  ' ',
  '...',
  '!',
  'ok?',
  'thanks?',
  '好的？',
  'yes',
  'no',
  'ok, deploy it',
  'thanks, now the tests',
  'so',
  'for all that',
  'this is so',
  'okra',
  'not ok',
  'ok123',
  '1',
  'hello',
  'thanks 2',
  'great question',
  `thanks ${'so '.repeat(30)}much`,
])('%j says more, or nothing', (text) => {
  expect(isAcknowledgement(text)).toBe(false)
})

test('sixty characters of thanks are still thanks', () => {
  const thanks = `thanks${' very'.repeat(9)} much`.padEnd(60, '!')
  expect([isAcknowledgement(thanks), isAcknowledgement(`${thanks}!`)]).toEqual([true, false])
})

describe('what people say', () => {
  const told = (tell: (thread: ReturnType<typeof directorTrace>) => void): boolean => {
    const thread = directorTrace({ bots: [bot('ann'), bot('bo')], people: ['mia', 'ben'] })
    tell(thread)
    return onlyAcknowledges(thread.view())
  }

  test('[C8] is an acknowledgement when all of it is', () => {
    expect(told((thread) => (thread.say('mia', 'ok'), thread.say('ben', '👍')))).toBe(true)
    expect(told((thread) => (thread.say('mia', 'ok'), thread.say('ben', 'but why')))).toBe(false)
  })

  test('is none where only bots speak', () => {
    expect(told((thread) => thread.botSays('ann', 'thanks'))).toBe(false)
  })

  test('is told apart from what bots say beside it', () => {
    expect(
      told((thread) => (thread.botSays('ann', 'I deploy it now'), thread.say('mia', 'ok'))),
    ).toBe(true)
  })

  test.each([
    'Shall I deploy?',
    'Shall I deploy?\nI would need your word.',
    '要部署吗？',
    '**Deploy?** Say so.',
    '(Deploy?)',
    'هل أنشر؟',
  ])('[C8] ok after the question %j is an answer', (question) => {
    const asked = (wakes: boolean) =>
      told((thread) => (thread.botSays('ann', question, { wakes }), thread.say('mia', 'ok')))
    expect([asked(true), asked(false)]).toEqual([false, false])
  })

  test('[C8] ok after a question that a person has answered is none', () => {
    expect(
      told((thread) => {
        thread.botSays('ann', 'Shall I deploy?')
        thread.say('ben', 'ok')
        thread.rest()
        thread.say('mia', 'thanks')
      }),
    ).toBe(true)
  })

  test('[C8] a question stays open while other bots speak', () => {
    expect(
      told((thread) => {
        thread.say('mia', 'hello')
        thread.botSays('ann', 'Shall I deploy?')
        thread.botSays('bo', 'I have no opinion.')
        thread.rest()
        thread.say('mia', 'ok')
      }),
    ).toBe(false)
  })

  test('an address with a question mark, or a person’s question, waits for no ok', () => {
    expect(
      told((thread) => {
        thread.botSays('ann', 'See https://example.org/?q=1 for it.')
        thread.say('mia', 'thanks')
      }),
    ).toBe(true)
    expect(
      told((thread) => {
        thread.say('ben', 'lunch?')
        thread.rest()
        thread.say('mia', 'ok')
      }),
    ).toBe(true)
  })

  test('what a service asks waits for no ok, and of two who say ok one may answer a bot', () => {
    expect(told((thread) => (thread.hookSays('Deploy?'), thread.say('mia', 'ok')))).toBe(true)
    expect(
      told((thread) => {
        thread.botSays('ann', 'Shall I deploy?')
        thread.say('mia', 'ok')
        thread.say('ben', 'thanks')
      }),
    ).toBe(false)
  })

  test('an answer that comes before the question answers nothing', () => {
    expect(told((thread) => (thread.say('mia', 'ok'), thread.botSays('ann', 'Sure?')))).toBe(true)
  })
})
