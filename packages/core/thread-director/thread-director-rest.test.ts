import { expect, test } from 'vitest'
import { agent, bot, directorTrace } from '../../../test/support/director-trace.ts'
import { draftDecision } from './thread-director-draft.ts'
import { isQuiet } from './thread-director-eligibility.ts'
import { viewOf } from './thread-director-entry-view.ts'
import { restsAfter } from './thread-director-rest.ts'
import { decide } from './thread-director-rules.ts'

type Trace = ReturnType<typeof directorTrace>

/** What is foretold of the next decision, nobody's where a model would choose, and what is then so. */
function foretold(thread: Trace): readonly [boolean, boolean] {
  const capture = thread.capture()
  const view = viewOf(capture)
  const answer = decide(view)
  const free = answer.kind === 'free' ? answer : undefined
  const draft = draftDecision(
    view,
    free ?? { kind: 'free', rule: 'no_text', speaker: null, about: [] },
    0,
  )
  const foreseen = restsAfter(capture, draft)
  thread.store(draft)
  return [foreseen, draft.speaker === null && isQuiet(thread.view())]
}

const stories: readonly (readonly [string, boolean, (thread: Trace) => void])[] = [
  ['what nobody has to answer', true, (thread) => thread.say('mia', 'thanks')],
  ['a bot that is named', false, (thread) => thread.say('mia', '@ann go on')],
  [
    'a debt of a bot at its limit',
    true,
    (thread) => {
      thread.configure({ limitPerBot: 0 })
      thread.say('mia', '@ann go on')
    },
  ],
  [
    'a person’s words while a debt can be served',
    false,
    (thread) => {
      thread.say('mia', '@ann and @bo, go on')
      thread.pass()
      thread.store(nobodyOn(thread))
      thread.say('mia', 'thanks')
    },
  ],
  [
    'the beginning of a longer backlog',
    false,
    (thread) => {
      for (let n = 0; n < 120; n += 1) thread.say('mia', 'thanks')
    },
  ],
]

function nobodyOn(thread: Trace) {
  const view = thread.view()
  return draftDecision(view, { kind: 'free', rule: 'to_people', speaker: null, about: [] }, 0)
}

test.each(stories)('whether a thread rests is known before: behind %s', (_, rests, tell) => {
  const thread = directorTrace({ bots: [bot('ann'), bot('bo')] })
  tell(thread)
  expect(foretold(thread)).toEqual([rests, rests])
})

test('a decision with a speaker never lets the thread rest', () => {
  const thread = directorTrace({ bots: [bot('ann')] })
  thread.say('mia', 'thanks')
  const capture = thread.capture()
  expect(restsAfter(capture, { ...nobodyOn(thread), speaker: agent('ann') })).toBe(false)
})
