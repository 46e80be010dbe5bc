/** stdout is data, stderr the rest. */
export interface Output {
  readonly json: boolean
  /** The result: in the API's own shape for a program, as lines for a person. */
  data(value: unknown, lines: () => readonly string[]): void
  /** One entry of a stream: a line of JSON, or lines of text. */
  note(text: string): void
}

export function createOutput(json: boolean): Output {
  return {
    json,
    data(value, lines) {
      const text = json ? JSON.stringify(value) : lines().map(plain).join('\n')
      if (text !== '') process.stdout.write(`${text}\n`)
    },
    note(text) {
      process.stderr.write(`${plain(text)}\n`)
    },
  }
}

// Anything but printable text, tabs and newlines: what others wrote must not drive this terminal, or reverse what is read.
/* oxlint-disable no-control-regex -- these are what is taken out */
const CONTROL =
  /\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function plain(text: string): string {
  return text.replace(CONTROL, '')
}
