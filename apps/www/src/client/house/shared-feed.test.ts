import type { FeedEvent } from '@arbe/sdk'
import { expect, test, vi } from 'vitest'
import { type FeedFrom, shareFeed } from './shared-feed.ts'

interface Tab {
  readonly events: FeedEvent[]
  readonly statuses: string[]
  readonly reads: (string | undefined)[]
  readonly leads: () => boolean
  readonly say: (person: string) => void
  readonly close: () => void
  readonly ended: Promise<void>
}

let names = 0
const freshName = (): string => `feed-test-${(names += 1)}`
const locks = (): LockManager => navigator.locks

/** A tab whose feed is written by hand: what it says is read by the tab that leads. */
function openTab(name: string, options: { isAlone?: boolean; asksEveryMs?: number } = {}): Tab {
  const control = new AbortController()
  const events: FeedEvent[] = []
  const statuses: string[] = []
  const reads: (string | undefined)[] = []
  let push: ((event: FeedEvent) => void) | undefined
  async function* follow(from: FeedFrom): AsyncGenerator<FeedEvent, void> {
    reads.push(from.lastEventId)
    const waiting: FeedEvent[] = []
    let wake = Promise.withResolvers<void>()
    push = (event) => {
      waiting.push(event)
      wake.resolve()
    }
    from.signal.addEventListener('abort', () => wake.resolve())
    from.onStatus('live')
    let position = 0
    while (!from.signal.aborted) {
      await wake.promise
      wake = Promise.withResolvers()
      for (const event of waiting.splice(0)) {
        position += 1
        from.onPosition(`p${position}`)
        yield event
      }
    }
    push = undefined
  }
  const ended = shareFeed({
    name,
    follow,
    onEvent: (event) => events.push(event),
    onStatus: (status) => statuses.push(status),
    signal: control.signal,
    locks: options.isAlone === true ? undefined : locks(),
    ...(options.asksEveryMs === undefined ? {} : { asksEveryMs: options.asksEveryMs }),
  })
  return {
    events,
    statuses,
    reads,
    ended,
    leads: () => push !== undefined,
    say: (person) => push?.({ type: 'typing', threadId: 't', person }),
    close: () => control.abort(),
  }
}

const typing = (person: string) => ({ type: 'typing', threadId: 't', person })

test('one tab reads, the other hears it, and reads on from there when the first has gone', async () => {
  const name = freshName()
  const first = openTab(name)
  await vi.waitFor(() => expect(first.leads()).toBe(true))
  const second = openTab(name)
  await vi.waitFor(() => expect(second.statuses).toEqual(['live']))
  first.say('ann')
  await vi.waitFor(() => expect(second.events).toEqual([typing('ann')]))
  expect([first.events, second.reads]).toEqual([[typing('ann')], []])

  first.close()
  await vi.waitFor(() => expect(second.leads()).toBe(true))
  expect(second.reads).toEqual(['p1'])
  second.say('ben')
  await vi.waitFor(() => expect(second.events).toEqual([typing('ann'), typing('ben')]))
  second.close()
  await Promise.all([first.ended, second.ended])
})

test('a tab that leads and says nothing any more loses the lead', async () => {
  const name = freshName()
  const frozen = Promise.withResolvers<void>()
  const stuck = locks()
    .request(name, () => frozen.promise)
    .catch((error: Error) => error.name)
  const tab = openTab(name, { asksEveryMs: 20 })
  await vi.waitFor(() => expect(tab.leads()).toBe(true))
  expect(await stuck).toBe('AbortError')
  frozen.resolve()
  tab.close()
  await tab.ended
})

test('whoever loses the lead stops reading and hears the other', async () => {
  const name = freshName()
  const first = openTab(name)
  await vi.waitFor(() => expect(first.leads()).toBe(true))
  const release = Promise.withResolvers<void>()
  const thief = locks().request(name, { steal: true }, () => release.promise)
  await vi.waitFor(() => expect(first.leads()).toBe(false))
  release.resolve()
  await thief
  await vi.waitFor(() => expect(first.leads()).toBe(true))
  first.close()
  await first.ended
})

test('without locks each tab reads for itself', async () => {
  const name = freshName()
  const tabs = [openTab(name, { isAlone: true }), openTab(name, { isAlone: true })]
  await vi.waitFor(() => expect(tabs.map((tab) => tab.leads())).toEqual([true, true]))
  for (const tab of tabs) tab.close()
  await Promise.all(tabs.map(({ ended }) => ended))
})
