import { z } from 'zod'

/** `open` reaches what the machine of the box reaches, services of that machine included. */
const NetworkSchema = z.enum(['none', 'open'])
const VariablesSchema = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), z.string().max(8_192))
  .refine((variables) => Object.keys(variables).length <= 100, 'at most 100 variables')
const EnvironmentNameSchema = z.string().trim().min(1).max(64)

export const EnvironmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** What its box runs on: a name of `GET /v1/sandbox-providers`. */
  provider: z.string(),
  network: NetworkSchema,
  variables: z.record(z.string(), z.string()),
  /** Whether there is a box to run commands in; one that is lost is noticed when it is used. */
  box: z.enum(['none', 'ready']),
})
export type Environment = z.infer<typeof EnvironmentSchema>

export const EnvironmentInputSchema = z.strictObject({
  name: EnvironmentNameSchema,
  provider: z.string().min(1).max(40).default('local'),
  network: NetworkSchema.default('none'),
  variables: VariablesSchema.default({}),
})
export type EnvironmentInput = z.input<typeof EnvironmentInputSchema>

export const EnvironmentPatchSchema = z.strictObject({
  name: EnvironmentNameSchema.optional(),
  network: NetworkSchema.optional(),
  /** All of them: what is not named is gone. */
  variables: VariablesSchema.optional(),
})
export type EnvironmentPatch = z.infer<typeof EnvironmentPatchSchema>

export const SandboxProviderSchema = z.object({
  name: z.string(),
  status: z.enum(['ready', 'broken']),
  /** Of a broken one: what it said, and what to do about it. */
  reason: z.string().optional(),
  remedy: z.string().optional(),
})
export type SandboxProvider = z.infer<typeof SandboxProviderSchema>
