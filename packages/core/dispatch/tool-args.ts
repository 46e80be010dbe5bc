import { z } from 'zod'
import type { ToolOutcome } from '../threads/turn.ts'

/** The schema as function calling takes it. */
export function toParameters(schema: z.ZodObject): object {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  return parameters
}

/** Parses the model's arguments and runs with them; arguments that do not fit are for the model to mend. */
export async function withArgs<Schema extends z.ZodObject>(
  schema: Schema,
  args: unknown,
  run: (args: z.infer<Schema>) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const parsed = schema.safeParse(args)
  if (parsed.success) return run(parsed.data)
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  return toolFailure('invalid_arguments', problems.join('; '))
}

/** The code is the contract; the detail tells the model how to go on. */
export function toolFailure(error: string, detail: string): ToolOutcome {
  return { text: `${error}: ${detail}`, isError: true, error }
}
