/** What a caller may not do or asked for wrongly. The code is stable and part of the API; the message is one sentence for people. */
export type RefusalCode =
  | 'invalid_body'
  | 'handle_refused'
  | 'unauthorized'
  | 'link_refused'
  | 'forbidden'
  | 'not_found'
  | 'key_conflict'
  | 'handle_taken'
  | 'name_taken'
  | 'sandbox_unavailable'
  | 'last_owner'
  | 'bot_unavailable'
  | 'message_too_long'

/** Thrown inside a transaction so that it rolls back, and caught once, at the door. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
