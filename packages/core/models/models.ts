import { createDemoModel, DEMO_MODEL, type Sleep } from './demo-model.ts'
import type { Models } from './model.ts'
import { type ModelsConfig, ModelsConfigError, type WellKnownProvider } from './models-config.ts'
import { loadPiAiModels } from './pi-ai-model.ts'

/** Every model of this configuration, and the built-in demo model beside them. */
export async function createModels(config: ModelsConfig, sleep: Sleep): Promise<Models> {
  const loaded = await loadPiAiModels(config)
  const all = [...loaded, createDemoModel(sleep)]
  const byName = new Map(all.map((model) => [model.id, model]))
  const defaultName = config.defaultModel ?? defaultOf(config)
  if (!byName.has(defaultName)) {
    throw new ModelsConfigError(
      `ARBE_MODEL: "${defaultName}" is not a model of a configured provider`,
    )
  }
  return {
    find: (name) => byName.get(name === '' ? defaultName : name),
    defaultName,
    names: all.map((model) => model.id),
  }
}

/** What somebody set up by hand goes before a key that may be in the environment for something else. */
function defaultOf(config: ModelsConfig): string {
  const [provider] = config.providers
  const [model] = provider?.models ?? []
  if (provider !== undefined && model !== undefined) return `${provider.name}/${model.id}`
  const keyed = Object.entries(defaults).find(([name]) => config.keys.has(name))
  return keyed === undefined ? DEMO_MODEL : keyed[1]
}

/** A model of each that is good at tools and not the dearest; the first one with a key is the default. */
const defaults: Readonly<Record<WellKnownProvider, string>> = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  openai: 'openai/gpt-6.2-sol',
  google: 'google/gemini-3.8-flash',
  openrouter: 'openrouter/~anthropic/claude-sonnet-latest',
  mistral: 'mistral/mistral-medium-latest',
  groq: 'groq/openai/gpt-oss-120b',
  xai: 'xai/grok-4.7',
  deepseek: 'deepseek/deepseek-v4-pro',
}
