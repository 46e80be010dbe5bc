import { boundText } from './bound-text.ts'
import type { ModelMessage } from '../models/model.ts'
import { sizeOf } from './message-size.ts'
import { quoteChat, type SaidChat } from './quote-entry.ts'

/** What stands in a request: somebody's words or a note, in the user role, or a turn of the bot's own. */
export type ContextItem = PartItem | BlockItem

export interface PartItem {
  readonly kind: 'part'
  /** Offset at which it stands. */
  readonly at: number
  /** Covered by the decision or owed an answer: never left out. */
  readonly pinned: boolean
  readonly content: SaidChat | string
  readonly timestamp: number
}

export interface BlockItem {
  readonly kind: 'block'
  /** Stands behind everything up to this offset. */
  readonly at: number
  /** The turn under way. */
  readonly pinned: boolean
  readonly messages: readonly ModelMessage[]
}

export interface FittedContext {
  readonly items: readonly ContextItem[]
  /** Something older was left out. */
  readonly cut: boolean
}

export interface ContextBounds {
  readonly maxBytes: number
  /** The items hold everything behind this offset. */
  readonly after: number
}

/**
 * Leaves out the oldest items until the rest fits. The cut stands at a multiple of a step, so that the beginning of the
 * request, and with it the provider's cache, stays the same while the thread grows.
 */
export function fitContext(
  items: readonly ContextItem[],
  { maxBytes, after }: ContextBounds,
): FittedContext {
  const shortened = shortenPinned(items, maxBytes)
  const room = maxBytes - NOTES_BYTES - sum(shortened.filter((item) => item.pinned))
  const cutAt = firstCut(
    shortened.filter((item) => !item.pinned),
    { room, after },
  )
  const kept = shortened.filter((item) => item.pinned || item.at > cutAt)
  return { items: kept, cut: after > 0 || kept.length < items.length }
}

function firstCut(
  items: readonly ContextItem[],
  { room, after }: { readonly room: number; readonly after: number },
): number {
  const sizes = items.map((item) => ({ at: item.at, bytes: bytesOf(item) }))
  let cutAt = after === 0 ? NOTHING_CUT : Math.ceil(after / CUT_STEP) * CUT_STEP
  for (;;) {
    const rest = sizes.filter((item) => item.at > cutAt)
    if (rest.reduce((total, item) => total + item.bytes, 0) <= room || rest.length === 0) {
      return cutAt
    }
    cutAt = cutAt === NOTHING_CUT ? CUT_STEP : cutAt + CUT_STEP
  }
}

const NOTHING_CUT = -1
const CUT_STEP = 64
/** For the lines that say what was cut and whose turn it is. */
const NOTES_BYTES = 600
/** Roles and separators. */
const ITEM_BYTES = 20
const SHORTEST_PINNED = 100

export function partText({ content }: PartItem): string {
  return typeof content === 'string' ? content : quoteChat(content)
}

function sum(items: readonly ContextItem[]): number {
  return items.reduce((total, item) => total + bytesOf(item), 0)
}

function bytesOf(item: ContextItem): number {
  if (item.kind === 'part') return Buffer.byteLength(partText(item)) + ITEM_BYTES
  return item.messages.reduce((total, message) => total + sizeOf(message), 0)
}

/** Long texts that must stay lose their middle, the longest first. */
function shortenPinned(items: readonly ContextItem[], maxBytes: number): readonly ContextItem[] {
  const room = maxBytes - NOTES_BYTES
  let shortened = items
  for (let longest = room; longest > SHORTEST_PINNED; longest = Math.floor(longest * 0.7)) {
    if (sum(shortened.filter((item) => item.pinned)) <= room) return shortened
    const bound = longest
    shortened = items.map((item) => (item.pinned ? shortenItem(item, bound) : item))
  }
  return shortened
}

function shortenItem(item: ContextItem, maxBytes: number): ContextItem {
  if (item.kind === 'block' || typeof item.content === 'string') return item
  const text = boundText(item.content.text, maxBytes)
  return { ...item, content: { ...item.content, text } }
}
