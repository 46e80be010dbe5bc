import { CliError, EXIT } from './exit.ts'

export interface Named {
  readonly id: string
  readonly handle: string
}

/** A person or bot of the house by id, or by handle with or without the @. */
export function findByName<Member extends Named>(all: readonly Member[], name: string): Member {
  const handle = name.replace(/^@/, '').toLowerCase()
  const found = all.find((one) => one.id === name || one.handle.toLowerCase() === handle)
  if (found !== undefined) return found
  const known = all.map((one) => `@${one.handle}`).join(', ')
  throw new CliError(EXIT.notFound, `The house has no "${name}"; it has ${known || 'none'}.`)
}
