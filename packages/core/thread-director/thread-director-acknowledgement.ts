import type { DirectorView, Said } from './thread-director-entry-view.ts'

/** True when people say nothing but thanks, ok or an emoji, and no bot waits for an answer. */
export function onlyAcknowledges(view: DirectorView): boolean {
  const byPeople = view.texts.filter(isByPerson)
  return (
    byPeople.length > 0 &&
    byPeople.every((said) => isAcknowledgement(said.text)) &&
    !byPeople.some((said) => followsQuestion(said, view))
  )
}

export function isAcknowledgement(text: string): boolean {
  if (text.length > LONGEST || /[?？؟]/u.test(text)) return false
  const words = text
    .replaceAll(EMOTICON, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[’']|\u{FE0F}/gu, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
  return words === '' ? SMILE.test(text) : saysOnly(words.split(' '))
}

const LONGEST = 60
const EMOTICON = /:-?[)DP]|<3/gu
const SMILE = /\p{Extended_Pictographic}|:-?[)DP]|<3/u

const PHRASES = new Set(
  `ok|okay|okey|k|kk|thanks|thank you|thx|ty|tysm|cheers|got it|understood|noted|will do|sounds good|great|cool|nice|perfect
|awesome|excellent|lovely|brilliant|good job|well done|great job|nice work|good work|great work|lol|haha|hahaha|yay|wow|np|no problem
|danke|danke schön|danke dir|vielen dank|super|prima|alles klar|passt|verstanden|merci|merci beaucoup|parfait|daccord|gracias
|muchas gracias|vale|perfecto|genial|grazie|grazie mille|perfetto|va bene|obrigado|obrigada|valeu|perfeito|dank je|bedankt|dziękuję
|dzięki|tack|takk|tak|kiitos|teşekkürler|tamam|спасибо|ок|окей|хорошо|понял|поняла|дякую|شكرا|تمام|תודה|धन्यवाद|ありがとう
|ありがとうございます|了解|了解です|谢谢|謝謝|好的|好|收到|감사합니다|고마워|고마워요|네|넵`
    .replaceAll('\n', '')
    .split('|'),
)
const FILLERS = new Set([
  'so',
  'very',
  'much',
  'a',
  'lot',
  'all',
  'everyone',
  'again',
  'then',
  'that',
  'thats',
  'is',
  'this',
  'for',
])
const LONGEST_PHRASE = 3

/** Takes the longest known phrase from the front, again and again; filler alone says nothing. */
function saysOnly(words: readonly string[]): boolean {
  let known = false
  let at = 0
  while (at < words.length) {
    const length = phraseAt(words, at)
    if (length === 0 && !FILLERS.has(words[at] ?? '')) return false
    known ||= length > 0
    at += Math.max(length, 1)
  }
  return known
}

function phraseAt(words: readonly string[], at: number): number {
  for (let length = LONGEST_PHRASE; length > 0; length -= 1) {
    if (PHRASES.has(words.slice(at, at + length).join(' '))) return length
  }
  return 0
}

/** A bot asked something after the last person before this one spoke. */
function followsQuestion(answer: Said, view: DirectorView): boolean {
  const before = [...view.context, ...view.texts].filter((said) => said.entry < answer.entry)
  const lastPerson = before.findLastIndex(isByPerson)
  return before
    .slice(lastPerson + 1)
    .some((said) => said.authorKind === 'bot' && QUESTION.test(said.text))
}

// A question mark inside an address is followed by more of it.
const QUESTION = /[?？؟](?=[\s"'”’)\]*_~`]|$)/u

const isByPerson = (said: Said): boolean => said.authorKind === 'person'
