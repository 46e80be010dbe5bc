/** Milliseconds a response asks to wait; undefined when it asks for nothing that can be read. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const precise = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (precise >= 0) return precise
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0)
}
