import type { DecisionBody } from '@arbe/sdk'
import { sayDecision, sayPause } from '@arbe/sdk/say-decision'
import { type ReactNode, useState } from 'react'
import { DecisionDetail } from './decision-detail.tsx'
import { Offers } from './offers.tsx'
import type { DecisionItem, NobodyItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

/** Who was chosen, or that nobody was, and why; a click tells the rest. */
export function DecisionLine({
  item,
  scene,
}: {
  readonly item: DecisionItem
  readonly scene: ThreadScene
}) {
  return (
    <div className="my-1 ml-11">
      <Line decision={item.decision} scene={scene}>
        <DecisionDetail item={item} scene={scene} />
      </Line>
      <Pause decision={item.decision} />
      {item.decision.speaker === null && <Offers item={item} scene={scene} />}
    </div>
  )
}

function Pause({ decision }: { readonly decision: DecisionBody }) {
  const pause = sayPause(decision)
  if (pause === undefined) return null
  return <p className="bg-warn-tint mt-1 w-fit rounded-md px-2 py-0.5 text-sm">{pause}.</p>
}

/** Several times nobody, in one line: the last of them stands for all. */
export function NobodyLine({
  item,
  scene,
}: {
  readonly item: NobodyItem
  readonly scene: ThreadScene
}) {
  const last = item.decisions.at(-1)
  if (last === undefined) return null
  return (
    <div className="my-1 ml-11">
      <Line decision={last.decision} scene={scene} times={item.decisions.length}>
        <div className="border-line mt-1 space-y-1 border-l pl-3">
          {item.decisions.map((one) => (
            <Line key={one.seq} decision={one.decision} scene={scene}>
              <DecisionDetail item={one} scene={scene} />
            </Line>
          ))}
        </div>
      </Line>
      <Offers item={last} scene={scene} />
    </div>
  )
}

interface LineProps {
  readonly decision: DecisionBody
  readonly scene: ThreadScene
  readonly times?: number
  readonly children: ReactNode
}

/** What it opens is made when it is opened: a long thread holds hundreds of these. */
function Line({ decision, scene, times = 1, children }: LineProps) {
  const [isOpen, setOpen] = useState(false)
  const colour = decision.kind === 'undecided' ? 'text-warn font-medium' : 'text-soft'
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className={`${colour} hover:text-ink flex w-fit cursor-pointer list-none items-baseline gap-1.5 rounded`}
      >
        <Mark decision={decision} />
        <span>
          {sayDecision(decision, (id) => scene.who(id).name)}
          {times > 1 && ` · ${times} times`}
        </span>
      </summary>
      {isOpen && <div ref={showWhole}>{children}</div>}
    </details>
  )
}

// What a click opens at the lower edge is meant to be read.
function showWhole(opened: Element | null): void {
  opened?.scrollIntoView({ block: 'nearest' })
}

function Mark({ decision: { kind, speaker } }: { readonly decision: DecisionBody }) {
  const look =
    kind === 'undecided'
      ? 'border-warn rotate-45'
      : `rounded-full ${speaker === null ? 'border-soft' : 'border-accent bg-accent'}`
  return <span aria-hidden className={`${look} size-2 shrink-0 border-2`} />
}
