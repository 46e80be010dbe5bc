// No import but ours and no top-level await: built, this is one script, valid as a module and as none.
// oxlint-disable-next-line no-restricted-imports -- finding core by its name costs 2 ms, a twelfth of Node's own start
import { dispatchText, MAX_DOCUMENT_BYTES } from '../../../packages/core/dispatch/tool-protocol.ts'
import { readDocument, readLines } from './dispatch-input.ts'
import { hasCode, stdinChunks, writeStdout } from './dispatch-stdio.ts'

const USAGE = `usage: arbe dispatch [--jsonl]

Runs one tool call on a workspace of texts: a JSON request on stdin, a JSON answer on stdout.
  --jsonl   a request a line in, an answer a line out, until stdin ends
  --help    this text

Exit 0: an answer, also when the tool failed in a way the model can mend.
Exit 1: no request that could be answered; one line on stderr says why.
`

void main(process.argv.slice(process.argv[2] === 'dispatch' ? 3 : 2))

async function main(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(args)
  } catch (error) {
    process.exitCode = 1
    // The reader is gone, as in `arbe dispatch | head -c 1`: there is nobody left to tell.
    if (hasCode(error, 'EPIPE')) return
    process.stderr.write(`arbe dispatch: ${String(error)}\n`)
  }
}

async function run(args: readonly string[]): Promise<0 | 1> {
  if (args.includes('--help') || args.includes('-h')) {
    await writeStdout(USAGE)
    return 0
  }
  const unknown = args.find((arg) => arg !== '--jsonl')
  // In JSON, which keeps the complaint to one line.
  const shown = JSON.stringify(unknown)
  if (unknown !== undefined) return refuse(`unknown argument ${shown}, see --help\n`)
  return args.length > 0 ? answerLines() : answerOnce()
}

async function answerOnce(): Promise<0 | 1> {
  const answer = dispatchText(await readDocument(stdinChunks(), MAX_DOCUMENT_BYTES))
  if (answer.exit === 1) return refuse(answer.stderr)
  await writeStdout(answer.stdout)
  return 0
}

async function answerLines(): Promise<0 | 1> {
  let number = 0
  for await (const line of readLines(stdinChunks(), MAX_DOCUMENT_BYTES)) {
    number += 1
    const answer = dispatchText(line)
    if (answer.exit === 1) return refuse(`request ${number}: ${answer.stderr}`)
    await writeStdout(answer.stdout)
  }
  return 0
}

function refuse(reason: string): 1 {
  process.stderr.write(`arbe dispatch: ${reason}`)
  return 1
}
