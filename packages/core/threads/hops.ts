/** A chain of turns that crosses more threads than this has lost sight of any person: nothing in it makes a bot speak. */
export const MOST_HOPS = 4
