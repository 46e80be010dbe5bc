import { z } from 'zod'

/** Which providers there are, read once at the start. */
export interface ModelsConfig {
  /** `provider/model`; undefined lets the first configured provider decide. */
  readonly defaultModel: string | undefined
  /** Keys of well-known providers, by the provider's name. */
  readonly keys: ReadonlyMap<string, string>
  /** Servers that speak one of two well-known protocols: local ones, gateways, other clouds. */
  readonly providers: readonly ProviderConfig[]
}

export type ProviderConfig = z.infer<typeof ProviderSchema>

export type Environment = Readonly<Record<string, string | undefined>>

/** Names the variable, never its value: it may hold a key. */
export class ModelsConfigError extends Error {
  override readonly name = 'ModelsConfigError'
}

/** Well-known providers by the variables that usually hold their keys, best default first. */
export const keyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  groq: 'GROQ_API_KEY',
  xai: 'XAI_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
} as const

export type WellKnownProvider = keyof typeof keyVariables

export function readModelsConfig(environment: Environment): ModelsConfig {
  const keys = Object.entries(keyVariables).flatMap(([provider, variable]) => {
    const key = set(environment, variable)
    return key === undefined ? [] : [[provider, key] as const]
  })
  const providers = [...localProvider(environment), ...listedProviders(environment)]
  const names = providers.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new ModelsConfigError(`ARBE_PROVIDERS: there are two providers named "${twice}"`)
  }
  return { defaultModel: set(environment, 'ARBE_MODEL'), keys: new Map(keys), providers }
}

const ModelSchema = z.strictObject({
  id: z.string().min(1),
  /** US dollars per million tokens; free without them. */
  inputPrice: z.number().nonnegative().default(0),
  outputPrice: z.number().nonnegative().default(0),
  contextWindow: z.int().positive().default(32_768),
  maxOutput: z.int().positive().default(8_192),
})

const ProviderSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'is not in lower-case letters, digits and "-"')
    .refine((name) => name !== 'demo' && !Object.hasOwn(keyVariables, name), 'is taken'),
  kind: z.enum(['openai', 'anthropic']),
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().min(1).optional(),
  models: z.array(ModelSchema).min(1),
})

const LOCAL = 'local'

/** The short form for one OpenAI-compatible server. */
function localProvider(environment: Environment): readonly ProviderConfig[] {
  const baseUrl = set(environment, 'ARBE_OPENAI_BASE_URL')
  if (baseUrl === undefined) return []
  const models = (set(environment, 'ARBE_OPENAI_MODELS') ?? '')
    .split(',')
    .map((id) => ({ id: id.trim() }))
    .filter(({ id }) => id !== '')
  if (models.length === 0) {
    throw new ModelsConfigError('ARBE_OPENAI_BASE_URL needs ARBE_OPENAI_MODELS: the ids it serves')
  }
  const apiKey = set(environment, 'ARBE_OPENAI_API_KEY')
  return [
    parse('ARBE_OPENAI_BASE_URL', ProviderSchema, {
      name: LOCAL,
      kind: 'openai',
      baseUrl,
      apiKey,
      models,
    }),
  ]
}

function listedProviders(environment: Environment): readonly ProviderConfig[] {
  const json = set(environment, 'ARBE_PROVIDERS')
  if (json === undefined) return []
  return parse('ARBE_PROVIDERS', z.array(ProviderSchema), parseJson('ARBE_PROVIDERS', json))
}

function set(environment: Environment, variable: string): string | undefined {
  const value = environment[variable]?.trim()
  return value === '' ? undefined : value
}

function parseJson(variable: string, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Without the cause: the parser quotes what it read, and that may be a key.
    throw new ModelsConfigError(`${variable} is not JSON`)
  }
}

function parse<Schema extends z.ZodType>(
  variable: string,
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
  throw new ModelsConfigError(`${variable}: ${problems.join('; ')}`)
}
