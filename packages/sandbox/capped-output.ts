/** Collects a stream of bytes and keeps its head and its tail, however long it gets. */
export class CappedOutput {
  readonly #half: number
  #head = Buffer.alloc(0)
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2)
  }

  get truncated(): boolean {
    return this.#total > this.#half * 2
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length
    const room = this.#half - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, 0)))
  }

  /** What is kept, as it came. */
  bytes(): Buffer {
    return Buffer.concat([this.#head, ...this.#tail])
  }

  /** What is kept, with a note in place of what is not. */
  text(): string {
    if (!this.truncated) return this.bytes().toString()
    const tail = Buffer.concat(this.#tail)
    const kept = tail.subarray(tail.length - this.#half)
    const gone = this.#total - this.#half * 2
    const note = `\n[… ${gone} bytes are left out here …]\n`
    return `${wholeHead(this.#head)}${note}${wholeTail(kept)}`
  }

  // Chunks stay as they came until they fill twice the room: cutting at each one would copy the tail for every line.
  #pushTail(chunk: Buffer): void {
    this.#tail.push(Buffer.from(chunk))
    this.#tailBytes += chunk.length
    if (this.#tailBytes < this.#half * 2) return
    const kept = Buffer.concat(this.#tail).subarray(-this.#half)
    this.#tail = [Buffer.from(kept)]
    this.#tailBytes = kept.length
  }
}

// A character that was cut in two is left out.
const wholeHead = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true })

function wholeTail(bytes: Buffer): string {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(start, 0)).toString()
}
