/** All bytes, or as soon as they are more than the limit what has come so far. */
export async function readDocument(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const parts = new ByteParts()
  for await (const chunk of chunks) {
    parts.add(chunk)
    if (parts.length > limit) break
  }
  return parts.take()
}

/** Each line without its line feed, as soon as it is whole or longer than the limit. Blank lines are left out. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const parts = new ByteParts()
  for await (const chunk of chunks) {
    let rest = chunk
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      parts.add(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield* unlessBlank(parts.take())
    }
    parts.add(rest)
    if (parts.length > limit) yield parts.take()
  }
  yield* unlessBlank(parts.take())
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

function unlessBlank(line: Uint8Array): Uint8Array[] {
  const isBlank = line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)
  return isBlank ? [] : [line]
}

/** Joined once at the end: adding to one growing buffer would copy a long line again and again. */
class ByteParts {
  length = 0
  #parts: Uint8Array[] = []

  add(part: Uint8Array): void {
    this.#parts.push(part)
    this.length += part.length
  }

  take(): Uint8Array {
    const whole = Buffer.concat(this.#parts)
    this.#parts = []
    this.length = 0
    return whole
  }
}
