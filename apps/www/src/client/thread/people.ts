import type { Thread } from '@arbe/sdk'

export interface Who {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly kind: 'person' | 'bot' | 'system'
  readonly isDemo: boolean
}

/** Everyone who is in a thread, by id; somebody who left or the house itself gets a name all the same. */
export function whoIsIn(thread: Thread): (id: string) => Who {
  const all = new Map<string, Who>([
    ...thread.people.map((person): [string, Who] => [
      person.id,
      { ...pick(person), kind: 'person', isDemo: false },
    ]),
    ...thread.bots.map((bot): [string, Who] => [
      bot.id,
      { ...pick(bot), kind: 'bot', isDemo: bot.demo },
    ]),
  ])
  return (id) => all.get(id) ?? stranger(id)
}

function pick({ id, name, handle }: { id: string; name: string; handle: string }) {
  return { id, name, handle }
}

function stranger(id: string): Who {
  const kind = id.startsWith('agt_') ? 'system' : 'person'
  return {
    id,
    name: kind === 'system' ? 'arbe' : 'Somebody who left',
    handle: '',
    kind,
    isDemo: false,
  }
}
