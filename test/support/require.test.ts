import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { requireOrSkip } from './require.ts'

// An empty PATH hides bubblewrap, wherever this machine keeps it.
beforeEach(() => {
  vi.stubEnv('PATH', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('a missing part of the machine gives the sentence that says how to get it', () => {
  vi.stubEnv('ARBE_REQUIRE', 'postgres')
  expect(requireOrSkip('sandbox')).toBe(
    'bubblewrap is missing or may not make user namespaces here: apt-get install bubblewrap',
  )
})

test('a missing part that ARBE_REQUIRE names fails the run instead of skipping', () => {
  vi.stubEnv('ARBE_REQUIRE', 'postgres,sandbox')
  expect(() => requireOrSkip('sandbox')).toThrow(
    'ARBE_REQUIRE names "sandbox", but bubblewrap is missing',
  )
})
