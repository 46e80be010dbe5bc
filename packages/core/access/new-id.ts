import { randomBytes } from 'node:crypto'

type IdPrefix = 'hse' | 'usr' | 'agt' | 'thr' | 'env'

/** 120 random bits behind a prefix that names the kind. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(15).toString('hex')}`
}
