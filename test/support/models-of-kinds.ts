import type { Model } from '../../packages/core/models/model.ts'
import { loadPiAiModels } from '../../packages/core/models/pi-ai-model.ts'
import type { ScriptedProvider } from './scripted-provider.ts'

export const PROVIDER_KINDS = ['openai', 'anthropic'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** One model of each protocol on a scripted provider. */
export async function modelsOfKinds(
  provider: ScriptedProvider,
): Promise<(kind: ProviderKind) => Model> {
  const models = [{ id: 'm', inputPrice: 0, outputPrice: 0, contextWindow: 90_000, maxOutput: 999 }]
  const baseUrls = { openai: provider.openaiBaseUrl, anthropic: provider.anthropicBaseUrl }
  const loaded = await loadPiAiModels({
    defaultModel: undefined,
    keys: new Map(),
    providers: PROVIDER_KINDS.map((kind) => ({
      name: kind,
      kind,
      baseUrl: baseUrls[kind],
      models,
    })),
  })
  return (kind) => {
    const model = loaded.find(({ id }) => id === `${kind}/m`)
    if (model === undefined) throw new Error(`no model of the ${kind} kind`)
    return model
  }
}
