import { toolCallsOf } from './assistant-message.ts'
import { demoCommand } from './demo-commands.ts'
import { lastQuoted } from './demo-quotes.ts'
import { demoTalk } from './demo-talk.ts'
import type { ModelMessage, ModelRequest } from './model.ts'

export interface DemoReply {
  readonly text: string
  readonly calls: readonly DemoCall[]
}

export interface DemoCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A command is a tool call, its results are told, and everything else is talk. */
export function demoReply(request: ModelRequest): DemoReply {
  const results = resultsAtEnd(request.messages)
  if (results.length > 0) return say(results.map(tellResult).join('\n\n'))
  const asked = lastQuoted(request.messages)
  const command = demoCommand(asked.text)
  if (command === undefined) return say(demoTalk(request.systemPrompt, asked))
  const isOffered = request.tools.some((tool) => tool.name === command.call.name)
  if (!isOffered) return say(`That would need \`${command.call.name}\`, which I am not given here.`)
  return { text: command.intro, calls: [command.call] }
}

interface ToldResult {
  readonly tool: string
  readonly path: string
  readonly text: string
  readonly isError: boolean
}

function say(text: string): DemoReply {
  return { text, calls: [] }
}

function resultsAtEnd(messages: readonly ModelMessage[]): readonly ToldResult[] {
  const from = messages.findLastIndex((message) => message.role !== 'toolResult')
  const asking = messages[from]
  const calls = asking?.role === 'assistant' ? toolCallsOf(asking) : []
  return messages.slice(from + 1).flatMap((message, index) => {
    if (message.role !== 'toolResult') return []
    const path = calls[index]?.arguments['path']
    return [
      {
        tool: message.toolName,
        path: typeof path === 'string' ? path : 'it',
        text: message.content.map((block) => block.text).join('\n'),
        isError: message.isError,
      },
    ]
  })
}

const SHOWN_LINES = 20

function tellResult({ tool, path, text, isError }: ToldResult): string {
  if (isError) return `That did not work: ${text.split('\n')[0] ?? ''}`
  switch (tool) {
    case 'read_file':
      return `\`${path}\` says:\n\n${fenced(text.replaceAll(/^\d+: /gm, ''))}`
    case 'list_files':
      return text.startsWith('There are') ? text : `These are the files:\n\n${fenced(text)}`
    case 'run_command':
    case 'search_files':
      return `Here is what came out:\n\n${fenced(text)}`
    case 'delegate_task':
      return 'I have handed that off. The report comes here when the job is done.'
    default:
      return `Done. ${text}.`
  }
}

function fenced(text: string): string {
  const lines = text.trimEnd().split('\n')
  const more = lines.length > SHOWN_LINES ? [`… and ${lines.length - SHOWN_LINES} more lines`] : []
  return ['```', ...lines.slice(0, SHOWN_LINES), ...more, '```'].join('\n')
}
