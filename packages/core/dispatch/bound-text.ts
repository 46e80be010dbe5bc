/** Keeps head and tail of a text that is too long and says how much is gone between them. */
export function boundText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const room = Math.max(maxBytes - NOTE_BYTES, 0)
  const headBytes = Math.ceil(room / 2)
  const head = bytes.subarray(0, wholeCharactersEnd(bytes, headBytes))
  const tail = bytes.subarray(wholeCharactersStart(bytes, bytes.length - (room - headBytes)))
  const gone = bytes.length - head.length - tail.length
  const note = `\n[… ${gone} of ${bytes.length} bytes are left out here …]\n`
  return `${head.toString()}${note}${tail.toString()}`
}

/** What jsonb cannot hold becomes U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

// The longest note there can be.
const NOTE_BYTES = 96

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80

function wholeCharactersEnd(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && isContinuation(bytes[at])) at -= 1
  return at
}

function wholeCharactersStart(bytes: Buffer, start: number): number {
  let at = start
  while (isContinuation(bytes[at])) at += 1
  return at
}
