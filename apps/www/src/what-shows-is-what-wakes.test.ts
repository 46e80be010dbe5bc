import { type ActorId, isAgentId, type Thread } from '@arbe/sdk'
import { handleKey } from '@arbe/sdk/handles'
import { mentionedIds, parseMentions } from '@arbe/sdk/mentions'
import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MessageText } from './client/thread/message-text.tsx'
import { agent, bot, directorTrace, person } from '../../../test/support/director-trace.ts'
import { shownThread } from '../../../test/support/shown-thread.ts'
import { type StoredMentions, storedMentions } from '../../../test/support/stored-mentions.ts'

interface Member {
  readonly id: ActorId
  readonly handle: string
}

const handles = [
  'ann',
  'ann-lee',
  'coder',
  '写手',
  '写手长',
  'josé',
  '코더',
  'コータ',
  'ольга',
  'x_y',
]
const everybody = handles.map((handle, n): Member => ({
  id: n % 3 === 1 ? person(`${n}`) : agent(`${n}`),
  handle,
}))
const roster = fc.subarray(everybody, { minLength: 1 })

const name = fc
  .constantFrom(...handles, 'everyone', 'Everyone', 'ANN', 'JOSE\u0301', 'eve', 'annе')
  .map((handle) => `@${handle}`)
const around = fc.constantFrom(
  ' ',
  '\n',
  '\n\n',
  ', ',
  '看',
  '.',
  '/',
  '-',
  '_',
  "'s",
  'x',
  '1',
  '@',
  '.com',
  '/a',
  '(',
  '**',
  '_',
  '~~',
  '`',
  '``',
  '\n```\n',
  '> ',
  '\n> ',
  '- ',
  '1. ',
  '# ',
  '\\',
  '|',
  '<code>',
  '</code>',
  '<b>',
  '<!--',
  '-->',
  '[',
  '](http://x)',
  '![',
  '&#64;',
  'http://x.y/',
  'mailto:',
  'a',
  'é',
  '❤️',
  '1️⃣',
  '∉',
  '\u200b',
  '\u0301',
  '\u3099',
  '    ',
  '\t',
  '\n|-|\n',
)
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: name },
      { weight: 6, arbitrary: around },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((pieces) => pieces.join(''))
  .filter((said) => said.trim() !== '' && !said.includes('\0') && said.isWellFormed())

/** What becomes of each member until the text is read again. */
const fates = fc.array(fc.constantFrom('stays', 'renamed', 'replaced', 'left'), {
  minLength: handles.length,
  maxLength: handles.length,
})

test('[B15] chips, stored mentions and requests agree, and stay so when members are renamed', async () => {
  await fc.assert(
    fc.asyncProperty(text, roster, fates, async (said, members, become) => {
      const body = await storedMentions(said, rosterOf(members))
      const all = [...body.mentions, ...(body.everyone ? ['*'] : [])]
      const drawn = meant(chips(said, members, undefined), members)
      expect(distinct(drawn).toSorted()).toEqual(all.toSorted())
      expect(meant(chips(said, members, body), members)).toEqual(drawn)
      expect(asked(body, members)).toEqual(called(body, members))

      const later = members.flatMap((member, n) => afterwards(member, become[n]))
      const left = members.filter((_, n) => become[n] === 'left')
      expect(meant(chips(said, later, body), [...later, ...left])).toEqual(drawn)
    }),
    { numRuns: 1_000 },
  )
})

// ≠, ≮ and ≯ decompose to characters of Markdown.
const isMarkup = /[≠≮≯]|[<=>]\u0338/

test('[B5] a text names the same members composed and decomposed', () => {
  const plain = text.filter((said) => !isMarkup.test(said))
  const ids = (said: string) => mentionedIds(parseMentions(said, everybody).mentions)
  fc.assert(
    fc.property(plain, (said) => {
      expect(ids(said.normalize('NFD'))).toEqual(ids(said.normalize('NFC')))
    }),
    { numRuns: 3_000 },
  )
})

const distinct = <T>(ids: readonly T[]): readonly T[] => [...new Set(ids)]

/** Somebody else may have a former handle once it is free again. */
function afterwards(member: Member, fate: string | undefined): readonly Member[] {
  const renamed = { ...member, handle: `${member.handle}${member.handle.slice(-1)}` }
  if (fate === 'left') return []
  if (fate === 'renamed') return [renamed]
  if (fate === 'replaced')
    return [{ id: agent(`new-${member.id}`), handle: member.handle }, renamed]
  return [member]
}

function threadOf(members: readonly Member[]): Thread {
  const isBot = ({ id }: Member): boolean => isAgentId(id)
  return shownThread({
    people: members
      .filter((one) => !isBot(one))
      .map((one) => ({ ...one, name: one.handle, role: 'member' })),
    bots: botsOf(members).map((one) => ({ ...one, demo: true })),
  })
}

const rosterOf = (members: readonly Member[]) => ({
  bots: botsOf(members),
  people: members
    .filter(({ id }) => !isAgentId(id))
    .map(({ id, handle }) => ({ id, handle, name: handle })),
})

const botsOf = (members: readonly Member[]) =>
  members.filter(({ id }) => isAgentId(id)).map(({ id, handle }) => bot(handle, { id }))

/** The labels of the chips that the page draws. */
function chips(
  said: string,
  members: readonly Member[],
  body: StoredMentions | undefined,
): readonly string[] {
  const named = body === undefined ? undefined : { ...body, names: body.names ?? [] }
  const props = { text: said, thread: threadOf(members), named }
  const markup = renderToStaticMarkup(createElement(MessageText, props))
  const drawn = markup.matchAll(/<span class="mention"[^>]*>([^<]*)<\/span>/g)
  return Array.from(drawn, ([, label = '']) => label)
}

/** Whom labels mean by these handles; `*` is everyone. */
function meant(labels: readonly string[], members: readonly Member[]): readonly string[] {
  const byLabel = new Map<string, string>([['@everyone', '*']])
  for (const { id, handle } of members) byLabel.set(`@${handle}`, id)
  return labels.map((label) => byLabel.get(handleKey(label)) ?? label)
}

function called(
  { mentions, everyone }: StoredMentions,
  members: readonly Member[],
): readonly string[] {
  const bots = botsOf(members).map(({ id }) => id)
  return distinct([...mentions.filter(isAgentId), ...(everyone ? bots : [])])
}

/** The bots for which the director opens a request once a person has said it. */
function asked(body: StoredMentions, members: readonly Member[]): readonly string[] {
  const trace = directorTrace({ bots: botsOf(members) })
  const said = { ...body, text: '-' }
  trace.append('chat', { id: person('mia'), kind: 'person' }, { body: said, wakes: true })
  return trace.view().requests.map((request) => request.bot)
}
