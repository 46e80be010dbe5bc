/** Milliseconds a response asks to wait; undefined when it asks for nothing that can be read. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const precise = headers.get('retry-after-ms')
  if (precise !== null && /^\d+(\.\d+)?$/.test(precise)) return Number(precise)
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000
  // A date is meant on the server's own clock, where the response tells what that shows.
  const date = Date.parse(headers.get('date') ?? '')
  const wait = Date.parse(value) - (Number.isNaN(date) ? now : date)
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0)
}
