import { z } from 'zod'
import type { ModelMessage } from './model.ts'

export interface Quoted {
  readonly from: string
  /** A report of a delegated job. */
  readonly handover: boolean
  readonly text: string
}

const HeaderSchema = z.object({ from: z.string(), is: z.string().default('') })

/** The last thing that somebody said: a header in JSON, then lines behind `| `. Text without a header is taken as it is. */
export function lastQuoted(messages: readonly ModelMessage[]): Quoted {
  const content = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const lines = (typeof content === 'string' ? content : '').split('\n')
  const last = lines.findLastIndex((line) => line.startsWith(QUOTE))
  if (last < 0) return { from: '', handover: false, text: lines.join('\n') }
  const above = lines.slice(0, last).findLastIndex((line) => !line.startsWith(QUOTE))
  const text = lines.slice(above + 1, last + 1).map((line) => line.slice(QUOTE.length))
  const { from, is } = readHeader(lines[above] ?? '')
  return { from, handover: is === 'handover', text: text.join('\n') }
}

const QUOTE = '| '

function readHeader(line: string): z.infer<typeof HeaderSchema> {
  const nobody = { from: '', is: '' }
  if (!line.startsWith('{')) return nobody
  return HeaderSchema.safeParse(JSON.parse(line)).data ?? nobody
}
