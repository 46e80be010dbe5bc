import type { Entry, Thread } from '@arbe/sdk'

export interface Who {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly kind: 'person' | 'bot' | 'system'
  readonly isDemo: boolean
}

/** Everyone by id: the thread's members, and whoever its entries still speak of. */
export function whoIsIn(thread: Thread, entries: readonly Entry[]): (id: string) => Who {
  const all = new Map<string, Who>(strangersIn(entries))
  for (const { id, name, handle } of thread.people) {
    all.set(id, { id, name, handle, kind: 'person', isDemo: false })
  }
  for (const { id, name, handle, demo } of thread.bots) {
    all.set(id, { id, name, handle, kind: 'bot', isDemo: demo })
  }
  return (id) => all.get(id) ?? stranger(id, id.startsWith('agt_') ? 'bot' : 'person')
}

/** Decisions keep the names of their candidates, so a bot that left is still called by its name. */
function* strangersIn(entries: readonly Entry[]): Generator<[string, Who]> {
  for (const { kind, body, authorId, authorKind } of entries) {
    if (authorKind === 'system') yield [authorId, stranger(authorId, 'system')]
    if (kind !== 'signal.thread_director.decision') continue
    for (const { id, name } of body.candidates) yield [id, { ...stranger(id, 'bot'), name }]
  }
}

const NAMES = { person: 'Somebody who left', bot: 'A bot that left', system: 'arbe' } as const

function stranger(id: string, kind: Who['kind']): Who {
  const name = id.startsWith('hook_') ? 'Webhook' : NAMES[kind]
  return { id, name, handle: '', kind, isDemo: false }
}
