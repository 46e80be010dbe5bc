import type {
  Api,
  AssistantMessage as LibraryAssistant,
  Message as LibraryMessage,
  Model as LibraryModel,
  MutableModels,
  Provider,
  StreamOptions,
} from '@earendil-works/pi-ai'
import { z } from 'zod'
import { readAssistantMessage, textOf } from './assistant-message.ts'
import { createCircuit } from './circuit.ts'
import type { AssistantMessage, Model, ModelMessage, ModelReply, ModelRequest } from './model.ts'
import type { ModelsConfig, ProviderConfig, WellKnownProvider } from './models-config.ts'
import { MOST_OUTPUT_TOKENS } from './most-cost.ts'
import { plainError } from './plain-error.ts'
import { retryAfterOf } from './retry-after.ts'

/** The models of all configured providers. Nothing of the library is loaded when there are none. */
export async function loadPiAiModels(config: ModelsConfig): Promise<readonly Model[]> {
  if (config.keys.size === 0 && config.providers.length === 0) return []
  const { createModels } = await import('@earendil-works/pi-ai/models')
  const { isRetryableAssistantError: isRetryable } =
    await import('@earendil-works/pi-ai/utils/retry')
  const { isContextOverflow: isOverflow } = await import('@earendil-works/pi-ai/utils/overflow')
  // The library must not find keys on its own: which there are is the configuration's word.
  const library = createModels({
    authContext: { env: async () => undefined, fileExists: async () => false },
  })
  const secrets = [...config.keys.values(), ...config.providers.flatMap((one) => one.apiKey ?? [])]
  const of = (provider: string, apiKey: string): readonly Model[] =>
    library
      .getModels(provider)
      .map((model) => toModel(library, model, { apiKey, secrets, isRetryable, isOverflow }))
  const models: Model[] = []
  for (const provider of config.providers) {
    library.setProvider(await compatibleProvider(provider))
    models.push(...of(provider.name, provider.apiKey ?? NO_KEY))
  }
  for (const [name, apiKey] of config.keys) {
    if (!isWellKnown(name)) continue
    library.setProvider(await wellKnown[name]())
    models.push(...of(name, apiKey))
  }
  return models
}

const wellKnown: Readonly<Record<WellKnownProvider, () => Promise<Provider>>> = {
  anthropic: async () =>
    (await import('@earendil-works/pi-ai/providers/anthropic')).anthropicProvider(),
  openai: async () => (await import('@earendil-works/pi-ai/providers/openai')).openaiProvider(),
  google: async () => (await import('@earendil-works/pi-ai/providers/google')).googleProvider(),
  openrouter: async () =>
    (await import('@earendil-works/pi-ai/providers/openrouter')).openrouterProvider(),
  mistral: async () => (await import('@earendil-works/pi-ai/providers/mistral')).mistralProvider(),
  groq: async () => (await import('@earendil-works/pi-ai/providers/groq')).groqProvider(),
  xai: async () => (await import('@earendil-works/pi-ai/providers/xai')).xaiProvider(),
  deepseek: async () =>
    (await import('@earendil-works/pi-ai/providers/deepseek')).deepseekProvider(),
}

function isWellKnown(name: string): name is WellKnownProvider {
  return Object.hasOwn(wellKnown, name)
}

// A server without keys takes any; the library sends no request without one.
const NO_KEY = 'none'

async function compatibleProvider(provider: ProviderConfig): Promise<Provider> {
  const { createProvider } = await import('@earendil-works/pi-ai/models')
  const api = provider.kind === 'openai' ? await openaiApi() : await anthropicApi()
  return createProvider({
    id: provider.name,
    auth: { apiKey: { name: provider.name, resolve: async () => ({ auth: {} }) } },
    models: provider.models.map((model) => compatibleModel(provider, model)),
    api,
  })
}

const openaiApi = async () =>
  (await import('@earendil-works/pi-ai/api/openai-completions.lazy')).openAICompletionsApi()
const anthropicApi = async () =>
  (await import('@earendil-works/pi-ai/api/anthropic-messages.lazy')).anthropicMessagesApi()

function compatibleModel(
  { name, kind, baseUrl }: ProviderConfig,
  model: ProviderConfig['models'][number],
): LibraryModel<Api> {
  const { id, inputPrice, outputPrice, contextWindow, maxOutput } = model
  const common = {
    id,
    name: id,
    provider: name,
    reasoning: false,
    input: ['text' as const],
    cost: { input: inputPrice, output: outputPrice, cacheRead: inputPrice, cacheWrite: inputPrice },
    contextWindow,
    maxTokens: maxOutput,
  }
  const root = baseUrl.replace(/\/+$/, '')
  if (kind === 'anthropic') {
    return { ...common, api: 'anthropic-messages', baseUrl: root.replace(/\/v1$/, '') }
  }
  // What the small servers understand, and the large ones too.
  const compat = {
    supportsDeveloperRole: false,
    supportsStore: false,
    maxTokensField: 'max_tokens',
  }
  return { ...common, api: 'openai-completions', baseUrl: root, compat }
}

interface Access {
  readonly apiKey: string
  /** Must appear in no error. */
  readonly secrets: readonly string[]
  readonly isRetryable: (message: LibraryAssistant) => boolean
  readonly isOverflow: (message: LibraryAssistant) => boolean
}

function toModel(library: MutableModels, model: LibraryModel<Api>, access: Access): Model {
  const { input, output, cacheRead, cacheWrite } = model.cost
  const id = `${model.provider}/${model.id}`
  return {
    id,
    demo: false,
    price: { input, output, cacheRead, cacheWrite },
    contextWindow: model.contextWindow,
    maxOutput: model.maxTokens,
    // Goes on at the pace of time when the machine's clock is set.
    circuit: createCircuit(id, () => performance.timeOrigin + performance.now()),
    async call(request, { signal, onEvent, onText }) {
      let response: Response | undefined
      const options = {
        ...requestOptions(model, request),
        apiKey: access.apiKey,
        signal,
        // The library tells of a response only when it succeeded; the wait stands on those that did not.
        fetch: async (...args: Parameters<typeof fetch>) => {
          response = await fetch(...args)
          onEvent()
          return response
        },
        onProviderStreamEvent: onEvent,
      }
      const stream = start(library, model, { request, options })
      for await (const event of stream) {
        onEvent()
        if (event.type === 'text_delta') onText?.(event.delta)
      }
      return toReply(await stream.result(), access, response)
    },
  }
}

interface Call {
  readonly request: ModelRequest
  readonly options: StreamOptions
}

function start(library: MutableModels, model: LibraryModel<Api>, { request, options }: Call) {
  const context = {
    systemPrompt: request.systemPrompt,
    messages: request.messages.map(toLibraryMessage),
    tools: [...request.tools],
  }
  const force = request.forceTool === undefined ? undefined : forced(model, request.forceTool)
  if (force === undefined) return library.streamSimple(model, context, options)
  return library.stream(model, context, { ...options, ...force })
}

function requestOptions(model: LibraryModel<Api>, request: ModelRequest): StreamOptions {
  const { sessionId, maxOutputTokens = MOST_OUTPUT_TOKENS } = request
  return {
    maxTokens: Math.min(maxOutputTokens, model.maxTokens),
    maxRetries: 0,
    // Nobody is told whose library asks.
    identity: { attribution: null, userAgent: { custom: 'arbe' } },
    ...(sessionId === undefined ? {} : { sessionId }),
  }
}

/** Undefined where the provider cannot force, or refuses to for a model whose thinking cannot be turned off. */
function forced(model: LibraryModel<Api>, name: string): Record<string, unknown> | undefined {
  if (model.thinkingLevelMap?.off === null) return undefined
  if (model.api === 'anthropic-messages') {
    return { toolChoice: { type: 'tool', name }, thinkingEnabled: false }
  }
  const toolChoice = toolChoices.get(model.api)
  return toolChoice === undefined ? undefined : { toolChoice }
}

// A forced tool is the only one offered, and more servers know "required" than a named choice.
const toolChoices = new Map<string, string>([
  ['openai-completions', 'required'],
  ['openai-responses', 'required'],
  ['mistral-conversations', 'required'],
  ['google-generative-ai', 'any'],
])

function toLibraryMessage(message: ModelMessage): LibraryMessage {
  if (message.role === 'user') return { ...message }
  if (message.role === 'toolResult') return { ...message, content: [...message.content] }
  return isLibrarys(message) ? message : foreignMessage(message)
}

/** A message that came from the library goes back as it came: the signatures in it are needed. */
function isLibrarys(message: AssistantMessage): message is AssistantMessage & LibraryAssistant {
  return 'api' in message && 'provider' in message && 'usage' in message
}

const JsonObject = z.record(z.string(), z.json())

function foreignMessage(message: AssistantMessage): LibraryMessage {
  const content = message.content.map((block) =>
    block.type === 'toolCall' ? { ...block, arguments: JsonObject.parse(block.arguments) } : block,
  )
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  const usage = { ...none, totalTokens: 0, cost: none }
  return { ...message, content, api: 'none', provider: 'none', model: 'none', usage }
}

function toReply(
  message: LibraryAssistant,
  access: Access,
  response: Response | undefined,
): ModelReply {
  const { input, output, cacheRead, cacheWrite, cost } = message.usage
  const bill = { usage: { input, output, cacheRead, cacheWrite }, cost: cost.total }
  const read = readAssistantMessage(message)
  const partial = read === undefined ? '' : textOf(read)
  if (message.stopReason === 'aborted') return { status: 'aborted', partial, ...bill }
  if (read !== undefined && message.stopReason !== 'error') {
    return { status: 'ok', message: read, ...bill }
  }
  const reason = message.errorMessage ?? `stopped: ${message.stopReason}`
  const retryAfter = response && retryAfterOf(response.headers, Date.now())
  const isUnreadable = response?.ok === true && UNREADABLE.test(reason)
  // A server that names no error the library knows still says by its status that it is at fault.
  const retryable = access.isRetryable(message) || isUnreadable || (response?.status ?? 0) >= 500
  return {
    status: 'failed',
    error: isUnreadable ? 'the answer broke off' : plainError(reason, access.secrets),
    retryable,
    down: retryable && response?.status !== 429,
    overflow: access.isOverflow(message),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    partial,
    ...bill,
  }
}

// A stream that ended inside an event, in the words of the parsers that met the rest of it.
const UNREADABLE =
  /^Could not parse Anthropic SSE event|malformed server-sent event|\bin JSON at position|\bJSON input$/
