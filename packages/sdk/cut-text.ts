/** At most so many UTF-16 units of the beginning; half a character, which no JSON may carry, is left out. */
export function headOfText(text: string, most: number): string {
  return text.slice(0, isInsideCharacter(text, most) ? most - 1 : most)
}

/** The same of the end. */
export function tailOfText(text: string, most: number): string {
  const start = Math.max(text.length - most, 0)
  return text.slice(isInsideCharacter(text, start) ? start + 1 : start)
}

function isInsideCharacter(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(at - 1, 0), at + 1))
}
