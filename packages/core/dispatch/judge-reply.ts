import { isDecline, isSilenceToken } from './silence.ts'
import { dropForeignLines, dropOwnLabel, type Speakers } from './speaker-lines.ts'

/** What a final text comes to: something to say, or nothing. */
export type Verdict =
  | { readonly kind: 'say'; readonly text: string; readonly because?: 'spoke_for_others' }
  | { readonly kind: 'passed'; readonly because: 'declined' }
  | { readonly kind: 'silent'; readonly because?: 'after_side_effects' | 'spoke_for_others' }

export interface JudgedReply {
  readonly text: string
  readonly speakers: Speakers
  /** A tool of this turn changed something: silence would hide it. */
  readonly sideEffects: boolean
}

export function judgeReply({ text, speakers, sideEffects }: JudgedReply): Verdict {
  const own = dropOwnLabel(text.trim(), speakers)
  const { text: said, cut } = dropForeignLines(own, speakers)
  const declined = isSilenceToken(said) || isDecline(said) || isOnlyMentions(said)
  if (said !== '' && !declined) {
    return cut
      ? { kind: 'say', text: said, because: 'spoke_for_others' }
      : { kind: 'say', text: said }
  }
  if (sideEffects) return { kind: 'silent', because: 'after_side_effects' }
  if (declined) return { kind: 'passed', because: 'declined' }
  return cut ? { kind: 'silent', because: 'spoke_for_others' } : { kind: 'silent' }
}

function isOnlyMentions(text: string): boolean {
  return /^(?:[\s,.:;!*_-]*@[\p{L}\p{N}_-]+)+[\s,.:;!*_-]*$/u.test(text)
}
