/** Something to wait for that a test says when it comes. */
export interface Gate {
  readonly passed: Promise<void>
  open(): void
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}
