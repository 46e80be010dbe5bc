import type { Who } from './people.ts'
import type { CallState, ThreadItem, ToolCallView } from './thread-view.ts'

type ToolsItem = Extract<ThreadItem, { type: 'tools' }>

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
  failed: 'text-bad',
  unknown: 'text-warn',
  cancelled: 'text-soft',
}

/** What a bot did in one round, a card a call; closed until somebody wants to see more. */
export function ToolCards({ item, who }: { readonly item: ToolsItem; readonly who: Who }) {
  return (
    <div className="my-2 ml-11 space-y-1.5">
      {item.calls.map((call) => (
        <ToolCard key={call.key} call={call} who={who} />
      ))}
    </div>
  )
}

function ToolCard({ call, who }: { readonly call: ToolCallView; readonly who: Who }) {
  return (
    <details className="border-line bg-raised group rounded-md border text-sm">
      <summary className="flex cursor-pointer list-none items-center gap-2 px-3 py-1.5">
        <span aria-hidden className="text-soft transition-transform group-open:rotate-90">
          ›
        </span>
        <span className="font-mono text-[13px]">{call.tool}</span>
        <span className="text-soft min-w-0 flex-1 truncate">{titleOf(call.args)}</span>
        <span className={COLOUR[call.state]}>
          {SAID[call.state]}
          {call.ms !== undefined && call.ms >= 100 && ` · ${(call.ms / 1_000).toFixed(1)} s`}
        </span>
      </summary>
      <div className="border-line space-y-2 border-t px-3 py-2">
        <p className="text-soft">{who.name} called this with</p>
        <Output text={JSON.stringify(call.args, undefined, 2)} />
        {call.text !== '' && (
          <>
            <p className="text-soft">and was told</p>
            <Output text={call.text} />
          </>
        )}
      </div>
    </details>
  )
}

function Output({ text }: { readonly text: string }) {
  return (
    <pre className="bg-panel max-h-80 overflow-auto rounded p-2 font-mono text-[12.5px] whitespace-pre-wrap">
      {text}
    </pre>
  )
}

/** The one argument that says what the call is about. */
function titleOf(args: unknown): string {
  if (typeof args !== 'object' || args === null) return ''
  const about = ['path', 'command', 'reason', 'query', 'task']
  const found = Object.entries(args).find(([name]) => about.includes(name))
  return found === undefined ? '' : String(found[1])
}
