/** By what costs are summed; the schema that says so would have to be loaded for every command. */
export const COST_BY = ['day', 'thread', 'bot', 'model'] as const
