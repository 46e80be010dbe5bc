import type { Via } from '@arbe/sdk'
import { sayMoney } from '@arbe/sdk/say-money'
import type { ReactNode } from 'react'
import type { Who } from './people.ts'

export interface BylineProps {
  readonly who: Who
  readonly at: string | undefined
  readonly isEdited?: boolean
  readonly via?: Via | undefined
  readonly isImported?: boolean
  /** US dollars of the whole turn. */
  readonly cost?: number | undefined
  readonly children?: ReactNode
}

/** Who says it and when, and at the right what one may do with it. */
export function Byline(props: BylineProps) {
  const { who, at, isEdited = false, via, isImported = false, cost = 0, children } = props
  return (
    <div className="flex min-h-7 items-start gap-2">
      {/* What does not fit goes below: on a phone too it is seen who speaks, and for whom. */}
      <div className="flex min-h-7 min-w-0 flex-1 flex-wrap items-center gap-x-2">
        <span className="max-w-full truncate font-semibold">{who.name}</span>
        {who.kind === 'bot' && <Badge text={who.isDemo ? 'demo bot' : 'bot'} />}
        {who.kind === 'system' && <Badge text="house" />}
        {via !== undefined && <Origin via={via} />}
        {at !== undefined && (
          <time
            className="text-soft shrink-0 text-xs"
            dateTime={at}
            title={new Date(at).toLocaleString()}
          >
            {clockOf(at)}
          </time>
        )}
        {cost > 0 && <span className="text-soft text-xs">{sayMoney(cost)}</span>}
        {isImported && <span className="text-soft shrink-0 text-xs">imported</span>}
        {isEdited && <span className="text-soft text-xs">edited</span>}
      </div>
      {children}
    </div>
  )
}

function clockOf(at: string): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
  if (date.toDateString() === new Date().toDateString()) return time
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const }
  return `${date.toLocaleDateString([], { day: 'numeric', month: 'short', ...year })}, ${time}`
}

function Badge({ text }: { readonly text: string }) {
  return (
    <span className="border-line text-soft shrink-0 rounded border px-1 text-[11px]">{text}</span>
  )
}

/** Nobody of the house: the name stands beside its carrier's, never in its place. */
function Origin({ via: { bridge, name } }: { readonly via: Via }) {
  return (
    <span className="text-soft max-w-full truncate text-xs">
      {name !== undefined && (
        <>
          for <bdi className="font-semibold">{name}</bdi>{' '}
        </>
      )}
      via {bridge}
    </span>
  )
}
