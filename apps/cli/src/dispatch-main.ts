// Globals only, no import of node: modules and no top-level await: built, this is one plain script that any Node from 18 on
// runs as it is, module or not, and that starts in the time Node itself needs.
import { dispatchText, MAX_DOCUMENT_BYTES } from '@arbe/core/dispatch/tool-protocol'
import { readDocument, readLines } from './dispatch-input.ts'

const USAGE = `usage: arbe dispatch [--jsonl]

Runs one tool call on a workspace of texts: a JSON request on stdin, a JSON answer on stdout.
  --jsonl   a request a line in, an answer a line out, until stdin ends
  --help    this text

Exit 0: an answer, also when the tool failed in a way the model can mend.
Exit 1: no request that could be answered; one line on stderr says why.
`

void main(process.argv.slice(process.argv[2] === 'dispatch' ? 3 : 2))

async function main(args: readonly string[]): Promise<void> {
  // Also reported to the callback of the write that failed; without a listener Node would print a stack trace.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  try {
    process.exitCode = await run(args)
  } catch (error) {
    process.exitCode = 1
    // The reader is gone, as in `arbe dispatch | head -c 1`: there is nobody left to tell.
    if (isBrokenPipe(error)) return
    process.stderr.write(`arbe dispatch: ${String(error)}\n`)
  }
}

async function run(args: readonly string[]): Promise<0 | 1> {
  if (args.includes('--help') || args.includes('-h')) {
    await print(USAGE)
    return 0
  }
  const unknown = args.find((arg) => arg !== '--jsonl')
  if (unknown !== undefined)
    return refuse(`unknown argument ${JSON.stringify(unknown)}, see --help\n`)
  return args.length > 0 ? answerLines() : answerOnce()
}

async function answerOnce(): Promise<0 | 1> {
  const answer = dispatchText(await readDocument(process.stdin, MAX_DOCUMENT_BYTES))
  if (answer.exit === 1) return refuse(answer.stderr)
  await print(answer.stdout)
  return 0
}

async function answerLines(): Promise<0 | 1> {
  let number = 0
  for await (const line of readLines(process.stdin, MAX_DOCUMENT_BYTES)) {
    number += 1
    const answer = dispatchText(line)
    if (answer.exit === 1) return refuse(`request ${number}: ${answer.stderr}`)
    await print(answer.stdout)
  }
  return 0
}

function refuse(reason: string): 1 {
  process.stderr.write(`arbe dispatch: ${reason}`)
  return 1
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
