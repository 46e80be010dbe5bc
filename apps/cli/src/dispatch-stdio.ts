// The blocking calls of fs instead of process.stdin and process.stdout: loading those two costs a
// fifth of Node's own start, and importing fs by name nearly another, for the promises it brings.
// The streams remain for an fd that does not block and for Node before 20.16, which hands out no fs.
const fs = 'getBuiltinModule' in process ? process.getBuiltinModule('node:fs') : undefined

const CHUNK_BYTES = 64 * 1024

export async function* stdinChunks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = blockingCall(() => fs?.readSync(0, chunk))
    if (length === undefined) break
    if (length === 0) return
    yield chunk.subarray(0, length)
  }
  yield* process.stdin
}

export async function writeStdout(text: string): Promise<void> {
  let rest: Uint8Array = Buffer.from(text)
  while (rest.length > 0) {
    const length = blockingCall(() => fs?.writeSync(1, rest))
    if (length === undefined) return writeToStream(rest)
    rest = rest.subarray(length)
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function blockingCall(call: () => number | undefined): number | undefined {
  try {
    return call()
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return undefined
    throw error
  }
}

function writeToStream(bytes: Uint8Array): Promise<void> {
  // An error reaches the callback; without a listener Node would print its stack as well.
  process.stdout.once('error', () => {})
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}
