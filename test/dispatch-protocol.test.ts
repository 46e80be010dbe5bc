import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dispatchText } from '@arbe/core/dispatch/tool-protocol'

// The table is plain JSON, so that a dispatcher in any language can be held against it: `request` is
// a JSON value to print on stdin, `stdin` text and `stdinBase64` bytes to give as they are.
interface Case {
  readonly name: string
  readonly request?: unknown
  readonly stdin?: string
  readonly stdinBase64?: string
  readonly exit: 0 | 1
  readonly answer?: object
}

const cases: Case[] = JSON.parse(
  readFileSync(new URL('cases/tool-protocol.json', import.meta.url), 'utf8'),
)

test.each(cases)('dispatch: $name', (given) => {
  const result = dispatchText(inputOf(given))
  expect(result.exit).toBe(given.exit)
  expect(result.exit === 0 ? sorted(JSON.parse(result.stdout)) : undefined).toEqual(
    sorted(given.answer),
  )
})

function inputOf({ request, stdin, stdinBase64 }: Case): Uint8Array {
  return stdinBase64 === undefined
    ? Buffer.from(stdin ?? JSON.stringify(request))
    : Buffer.from(stdinBase64, 'base64')
}

/** As entries, so that a key `__proto__` is compared like any other. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}
