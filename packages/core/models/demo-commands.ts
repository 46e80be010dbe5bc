import type { DemoCall } from './demo-reply.ts'

export interface DemoCommand {
  readonly intro: string
  readonly call: DemoCall
}

/** What a plain request asks for: the first pattern that fits. */
export function demoCommand(text: string): DemoCommand | undefined {
  for (const { pattern, command } of commands) {
    const match = pattern.exec(text)
    if (match?.groups !== undefined) return command(match.groups)
  }
  return undefined
}

type Groups = Readonly<Record<string, string | undefined>>

interface CommandPattern {
  readonly pattern: RegExp
  readonly command: (groups: Groups) => DemoCommand
}

const PATH = String.raw`[\x60"']?(?<path>[\w./-]*\w\.\w+)[\x60"']?`
const pattern = (source: string): RegExp => new RegExp(source, 'is')

const commands: readonly CommandPattern[] = [
  {
    pattern: pattern(String.raw`\bdelegate(?: a job| this)?:?\s+(?<task>.+)`),
    command: ({ task = '' }) => calling('delegate_task', { task }, 'That is a job of its own.'),
  },
  {
    pattern: pattern(String.raw`\brun [\x60"'](?<command>[^\x60"']+)[\x60"']`),
    command: ({ command = '' }) => calling('run_command', { command }, `Running \`${command}\`.`),
  },
  {
    pattern: pattern(
      String.raw`\brun (?<command>(?:npm|npx|node|git|ls|cat|make|python3?)\b[^.!?\n]*)`,
    ),
    command: ({ command = '' }) =>
      calling('run_command', { command: command.trim() }, `Running \`${command.trim()}\`.`),
  },
  {
    pattern: pattern(
      String.raw`\b(?:replace|change) [\x60"'](?<old>[^\x60"']+)[\x60"'] (?:with|by|to|into) [\x60"'](?<fresh>[^\x60"']*)[\x60"'] in ${PATH}`,
    ),
    command: ({ old = '', fresh = '', path = '' }) =>
      calling('patch_file', { path, old_str: old, new_str: fresh }, `Patching \`${path}\`.`),
  },
  {
    pattern: pattern(
      String.raw`\bwrite [\x60"'](?<content>[^\x60"']+)[\x60"'] (?:in|into|to) ${PATH}`,
    ),
    command: ({ content = '', path = '' }) =>
      calling('write_file', { path, content: `${content}\n` }, `Writing \`${path}\`.`),
  },
  {
    pattern: pattern(
      String.raw`\b(?:write|make|create|put|save)\b(?: me| us)? (?<what>[^.!?\n]*?) ?(?:in|into|to|as|called) ${PATH}`,
    ),
    command: ({ what = '', path = '' }) =>
      calling('write_file', { path, content: compose(what) }, `Writing ${what.trim()}.`),
  },
  {
    pattern: pattern(String.raw`\b(?:delete|remove) (?:the file )?${PATH}`),
    command: ({ path = '' }) => calling('delete_file', { path }, `Deleting \`${path}\`.`),
  },
  {
    pattern: pattern(
      String.raw`\b(?:read|show|open|print|what is in|what's in)\b[^.!?\n]*?\s${PATH}`,
    ),
    command: ({ path = '' }) => calling('read_file', { path }, `Let me look at \`${path}\`.`),
  },
  {
    pattern: pattern(String.raw`\b(?:list|show|which|what)\b[^.!?\n]*\b(?<files>files)\b`),
    command: () => calling('list_files', {}, 'Let me see which files there are.'),
  },
]

function calling(name: string, args: DemoCall['args'], intro: string): DemoCommand {
  return { intro, call: { name, args } }
}

/** A demo model has no imagination, so what it composes says little. */
function compose(what: string): string {
  const topic = /\babout (?<topic>.+)/i.exec(what)?.groups?.['topic'] ?? 'this room'
  if (!/\b(?:poem|verse|haiku|song)\b/i.test(what)) return `${what.trim()}\n`
  return [
    `Somebody asked about ${topic},`,
    'and one of us was called to speak.',
    'The rest kept quiet, as they should,',
    'and nothing said was said twice.',
    '',
  ].join('\n')
}
