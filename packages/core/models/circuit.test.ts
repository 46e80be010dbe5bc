import { NO_USAGE } from '@arbe/sdk'
import { expect, test } from 'vitest'
import { fails, says } from '../../../test/support/fake-model.ts'
import { type Circuit, createCircuit } from './circuit.ts'
import type { ModelReply } from './model.ts'

const down = fails('503: overloaded', { retryable: true, down: true })

function circuitAt(start: string) {
  let now = Date.parse(start)
  const circuit = createCircuit('far/tiny', () => now)
  return { circuit, pass: (ms: number) => void (now += ms) }
}

function hear(circuit: Circuit, times: number, reply: ModelReply): void {
  for (let time = 0; time < times; time += 1) circuit.heard(reply)
}

test('five failures in a row spare the provider, and say why and until when', () => {
  const { circuit } = circuitAt('2026-12-01T12:00:00Z')
  hear(circuit, 4, down)
  expect(circuit.refusal()).toBeUndefined()
  hear(circuit, 1, down)
  expect(circuit.refusal()).toEqual({
    status: 'failed',
    error: 'far/tiny is not answering; it is asked again at 12:00:15 UTC (503: overloaded)',
    retryable: false,
    down: true,
    unasked: true,
    partial: '',
    usage: NO_USAGE,
    cost: 0,
  })
})

test.each([
  ['an answer', says('here')],
  ['a request of somebody’s own making', fails('400: bad request')],
  ['being told to slow down', fails('429: slow down', { retryable: true })],
])('%s counts as alive', (_, reply) => {
  const { circuit } = circuitAt('2026-12-01T12:00:00Z')
  hear(circuit, 4, down)
  circuit.heard(reply)
  hear(circuit, 4, down)
  expect(circuit.refusal()).toBeUndefined()
})

test.each<[string, ModelReply]>([
  ['that somebody stopped', { status: 'aborted', partial: '', usage: NO_USAGE, cost: 0 }],
  ['that was never made', fails('no money left', { unasked: true })],
])('a request %s says nothing about the provider', (_, reply) => {
  const { circuit } = circuitAt('2026-12-01T12:00:00Z')
  hear(circuit, 5, down)
  circuit.heard(reply)
  expect(circuit.refusal()).toBeDefined()
})

test('after a rest one request tries, and its success lets everybody in', () => {
  const { circuit, pass } = circuitAt('2026-12-01T12:00:00Z')
  hear(circuit, 5, down)
  pass(15_000)
  expect([circuit.refusal(), circuit.refusal()?.error]).toEqual([
    undefined,
    'far/tiny is not answering; it is asked again at 12:00:30 UTC (503: overloaded)',
  ])
  circuit.heard(says('here'))
  expect([circuit.refusal(), circuit.refusal()]).toEqual([undefined, undefined])
})

test('a try that fails, or whose answer never comes, is followed by another rest and another try', () => {
  const { circuit, pass } = circuitAt('2026-12-01T12:00:00Z')
  hear(circuit, 5, down)
  for (const heard of [[down], []]) {
    pass(15_000)
    expect(circuit.refusal()).toBeUndefined()
    for (const reply of heard) circuit.heard(reply)
    expect(circuit.refusal()).toBeDefined()
  }
})
