import type { Chance } from './chance.ts'

/** Whose memory an event lives in. What a dead one waited for never comes; a stalled one gets it when it goes on. */
export interface Owner {
  readonly name: string
  readonly alive: boolean
  readonly stalledUntil: number
}

export interface Happening {
  readonly what: string
  /** Undefined: the network's, the provider's or a person's, whom no worker's death touches. */
  readonly owner?: Owner | undefined
  readonly run: () => void
}

/** Virtual time: one thing happens after the other, and chance orders what falls on the same moment. */
export interface Timeline {
  readonly now: number
  readonly happened: number
  /** Of all that has happened, in its order. */
  readonly hash: number
  in(ms: number, happening: Happening): () => void
  /** A pause of the owner's; never over for a dead one. */
  pause(ms: number, what: string, owner?: Owner): Promise<void>
  /** Runs until the answer is true; false: nothing is left that could happen. */
  runUntil(isOver: () => boolean): Promise<boolean>
}

interface Event extends Happening {
  at: number
  readonly order: number
  calledOff: boolean
}

export function createTimeline(chance: Chance, onEvent: (line: string) => void): Timeline {
  const coming: Event[] = []
  let now = 0
  let happened = 0
  let hash = 0x811c9dc5

  function push(event: Event): void {
    coming.push(event)
    let at = coming.length - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = coming[above]
      if (parent === undefined || !isBefore(event, parent)) break
      coming[at] = parent
      at = above
    }
    coming[at] = event
  }

  function pop(): Event | undefined {
    const first = coming[0]
    const last = coming.pop()
    if (first === undefined || last === undefined || first === last) return first
    let at = 0
    for (;;) {
      const left = coming[2 * at + 1]
      const right = coming[2 * at + 2]
      const isRight = left !== undefined && right !== undefined && isBefore(right, left)
      const child = isRight ? right : left
      if (child === undefined || !isBefore(child, last)) break
      coming[at] = child
      at = 2 * at + (isRight ? 2 : 1)
    }
    coming[at] = last
    return first
  }

  function happen({ owner, what, run }: Event): void {
    happened += 1
    const name = owner?.name ?? ''
    hash = fold(fold(fold(hash, now), what), name)
    onEvent(`${now} ${name} ${what}`)
    run()
  }

  const timeline: Timeline = {
    get now() {
      return now
    },
    get happened() {
      return happened
    },
    get hash() {
      return hash
    },
    in(ms, happening) {
      const event = {
        ...happening,
        at: now + Math.max(0, Math.ceil(ms)),
        order: chance.next(),
        calledOff: false,
      }
      push(event)
      return () => {
        event.calledOff = true
      }
    },
    pause(ms, what, owner) {
      const { promise, resolve } = Promise.withResolvers<void>()
      timeline.in(ms, { what, owner, run: resolve })
      return promise
    },
    async runUntil(isOver) {
      while (!isOver()) {
        const event = pop()
        if (event === undefined) return false
        if (event.calledOff || event.owner?.alive === false) continue
        const stalledUntil = event.owner?.stalledUntil ?? 0
        if (stalledUntil > event.at) {
          event.at = stalledUntil
          push(event)
          continue
        }
        now = event.at
        happen(event)
        await allSettled()
      }
      return true
    },
  }
  return timeline
}

function isBefore(one: Event, other: Event): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at
}

/** Until no promise moves any more: the tick queue is looked at when the microtasks have run out. */
function allSettled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.nextTick(resolve)
  return promise
}

function fold(hash: number, part: string | number): number {
  if (typeof part === 'number') return Math.imul(hash ^ part, 0x01000193)
  let folded = hash
  for (let at = 0; at < part.length; at += 1)
    folded = Math.imul(folded ^ part.charCodeAt(at), 0x01000193)
  return folded
}
