import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

import {
  BackupRefused,
  type End,
  EndSchema,
  type Header,
  HeaderSchema,
  type Table,
  TableSchema,
} from './backup-lines.ts'

export type BackupPart =
  | ({ readonly kind: 'header' } & Header)
  | ({ readonly kind: 'table' } & Table)
  | { readonly kind: 'row'; readonly text: string }
  | ({ readonly kind: 'end' } & End)

/** Reads a backup's parts in order and to its end; throws BackupRefused where it is cut off, broken, or something else. */
export async function* readBackup(file: string): AsyncGenerator<BackupPart, void> {
  let rows = 0
  let last: BackupPart | undefined
  for await (const text of linesOf(file)) {
    const part = toPart(text)
    if ((last === undefined) !== (part.kind === 'header'))
      throw new BackupRefused(`${file} is no backup of a house`)
    if (part.kind === 'row') rows += 1
    last = part
    yield part
  }
  if (last?.kind !== 'end' || last.rows !== rows)
    throw new BackupRefused(`${file} is cut off after ${rows} rows`)
}

/** Parted at line feeds alone: what else ends a line for some readers may stand inside a text. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const packed = createReadStream(file)
  const text = packed.pipe(createGunzip().setEncoding('utf8'))
  packed.on('error', (error) => text.destroy(error))
  let begun = ''
  try {
    for await (const chunk of text) {
      const [first = '', ...others] = String(chunk).split('\n')
      const lines = [begun + first, ...others]
      begun = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw new BackupRefused(`${file} cannot be read as a backup: ${reasonOf(cause)}`, { cause })
  } finally {
    packed.destroy()
  }
  if (begun !== '') yield begun
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function toPart(text: string): BackupPart {
  if (text.startsWith('[')) return { kind: 'row', text }
  const value = parse(text)
  const header = HeaderSchema.safeParse(value)
  if (header.success) return { kind: 'header', ...header.data }
  const table = TableSchema.safeParse(value)
  if (table.success) return { kind: 'table', ...table.data }
  const end = EndSchema.safeParse(value)
  if (end.success) return { kind: 'end', ...end.data }
  throw new BackupRefused(`no backup of a house has a line such as ${text.slice(0, 60)}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BackupRefused(`no backup of a house has a line such as ${text.slice(0, 60)}`, {
      cause,
    })
  }
}
