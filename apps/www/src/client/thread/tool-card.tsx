import { useState } from 'react'
import { diffOf } from './tool-diff.ts'
import type { CallState, ToolCallView } from './tool-call-view.ts'

const SAID: Record<CallState, string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  unknown: 'outcome unknown',
  cancelled: 'cancelled',
}

const COLOUR: Record<CallState, string> = {
  running: 'text-accent',
  done: 'text-soft',
  failed: 'text-bad font-medium',
  unknown: 'text-warn font-medium',
  cancelled: 'text-soft',
}

/** One call of a tool, closed until somebody wants to see more; why it failed is seen at once. */
export function ToolCard({ call }: { readonly call: ToolCallView }) {
  return (
    <details className="border-line bg-panel group/card rounded-md border text-sm">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-2 px-3 py-1.5">
        <span aria-hidden className="text-soft transition-transform group-open/card:rotate-90">
          ›
        </span>
        <span className="font-mono text-[13px]">{call.tool}</span>
        <span className="text-soft min-w-0 flex-1 truncate">{titleOf(call.args)}</span>
        <span className={COLOUR[call.state]}>
          {SAID[call.state]}
          {call.ms !== undefined && call.ms >= 100 && ` · ${(call.ms / 1_000).toFixed(1)} s`}
        </span>
        {call.state === 'failed' && (
          <span className="text-bad w-full truncate pl-4">{call.text.split('\n')[0]}</span>
        )}
      </summary>
      <div className="border-line space-y-2 border-t px-3 py-2">
        <Given call={call} />
        {call.text !== '' && (
          <>
            <p className="text-soft text-xs">Result</p>
            <Output text={call.text} />
          </>
        )}
      </div>
    </details>
  )
}

function Given({ call }: { readonly call: ToolCallView }) {
  const diff = diffOf(call)
  if (diff === undefined) {
    return (
      <>
        <p className="text-soft text-xs">Called with</p>
        <Output text={JSON.stringify(call.args, undefined, 2)} />
      </>
    )
  }
  return (
    <div className="bg-raised max-h-80 overflow-auto rounded p-2 font-mono text-[12.5px] whitespace-pre-wrap">
      {diff.map((line) => (
        <div key={line.key} className={line.sign === '+' ? 'text-accent' : 'text-bad'}>
          {line.sign} {line.text}
        </div>
      ))}
    </div>
  )
}

const SHOWN_LINES = 20

function Output({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const lines = text.split('\n')
  const isLong = lines.length > SHOWN_LINES && !isWhole
  return (
    <>
      <pre className="bg-raised max-h-96 overflow-auto rounded p-2 font-mono text-[12.5px] whitespace-pre-wrap">
        {isLong ? lines.slice(0, SHOWN_LINES).join('\n') : text}
      </pre>
      {isLong && (
        <button className="button-quiet" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </>
  )
}

/** The one argument that says what the call is about. */
function titleOf(args: ToolCallView['args']): string {
  const about = ['path', 'command', 'reason', 'query', 'task']
  const found = about.flatMap((name) => args[name] ?? []).find((value) => value !== '')
  return typeof found === 'string' ? found : ''
}
