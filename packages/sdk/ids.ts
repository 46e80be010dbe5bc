/** Ids carry a prefix that names their kind (`thr_…`), so that a wrong one is seen at a glance and refused at the door. */
export type HouseId = string & { readonly __brand: 'HouseId' }
export type ThreadId = string & { readonly __brand: 'ThreadId' }
/** A person of a house (`usr_…`), an agent (`agt_…`: a bot, or the house's system agent) or a webhook (`hook_…`). */
export type ActorId = string & { readonly __brand: 'ActorId' }

/** Position of an entry in its thread: 1, 2, 3 … without gaps; 0 stands before the first entry. */
export type Offset = number & { readonly __brand: 'Offset' }

/* oxlint-disable typescript/no-unsafe-type-assertion -- the one place where brands are put on */
export const toOffset = (value: number): Offset => value as Offset
export const toHouseId = (value: string): HouseId => value as HouseId
export const toThreadId = (value: string): ThreadId => value as ThreadId
export const toActorId = (value: string): ActorId => value as ActorId

/** A bot or the system agent; also true for one that has left. */
export const isAgentId = (id: ActorId): boolean => id.startsWith('agt_')
