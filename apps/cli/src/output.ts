/** stdout is data, stderr the rest. */
export interface Output {
  /** A result, or one entry of a stream: in the API's own shape for a program, as lines for a person. */
  data(value: unknown, lines: () => readonly string[]): void
  note(text: string): void
}

export function createOutput(json: boolean): Output {
  return {
    data(value, lines) {
      const text = json ? visibleJson(value) : lines().map(plain).join('\n')
      if (text !== '') process.stdout.write(`${text}\n`)
    },
    note(text) {
      process.stderr.write(`${plain(text)}\n`)
    },
  }
}

// All but printable text, tabs and line ends: what others wrote must not drive this terminal, or turn around what is read.
/* oxlint-disable no-control-regex -- these are what is taken out */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-9;:<=>?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

export function plain(text: string): string {
  return text.replace(SEQUENCE, '').replace(CONTROL, '')
}

/** One line of JSON that says the same and shows every such character as its number. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
