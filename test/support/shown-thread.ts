import type { Thread, ThreadBot } from '@arbe/sdk'

/** A thread as the page has it, with nobody in it; say what is other than that. */
export function shownThread(over: Partial<Thread> = {}): Thread {
  return {
    id: 'thr_1',
    title: '',
    head: 0,
    createdAt: '',
    lastAt: '',
    people: [],
    bots: [],
    formerHandles: [],
    limitPerBot: 3,
    limitPerThread: 8,
    banter: false,
    environment: null,
    offerAuto: false,
    ...over,
  }
}

/** Called by its name. */
export function shownBot(name: string, over: Partial<ThreadBot> = {}): ThreadBot {
  return {
    id: `agt_${name.toLowerCase()}`,
    name,
    handle: name.toLowerCase(),
    description: '',
    model: '',
    mode: 'auto',
    muted: false,
    mutedUntil: null,
    demo: true,
    ...over,
  }
}
