const LEAST = 0.0001

/** US dollars to four digits; what is smaller than they can tell is never shown as nothing. */
export function sayMoney(dollars: number): string {
  if (dollars === 0) return '$0'
  return dollars < LEAST ? `under $${LEAST}` : `$${dollars.toFixed(4)}`
}

/** The same of what something would cost. */
export function sayEstimate(dollars: number): string {
  return dollars < LEAST ? sayMoney(dollars) : `about ${sayMoney(dollars)}`
}
