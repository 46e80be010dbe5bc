import type { ToolCallView } from './tool-call-view.ts'

export interface DiffLine {
  readonly key: string
  readonly sign: '-' | '+'
  readonly text: string
}

/** What a call takes out of a file and puts in; undefined when it changes none. */
export function diffOf({ tool, args }: ToolCallView): readonly DiffLine[] | undefined {
  const texts = textsOf(tool, args)
  if (texts === undefined) return undefined
  return [...linesOf('-', texts.before), ...linesOf('+', texts.after)]
}

function textsOf(
  tool: string,
  args: ToolCallView['args'],
): { readonly before: string; readonly after: string } | undefined {
  if (tool === 'write_file') return { before: '', after: textOf(args['content']) }
  if (tool !== 'patch_file') return undefined
  return { before: textOf(args['old_str']), after: textOf(args['new_str']) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function linesOf(sign: DiffLine['sign'], text: string): readonly DiffLine[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => ({ key: `${sign}${index}`, sign, text: line }))
}
