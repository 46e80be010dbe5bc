import { expect, test } from 'vitest'

import { createModels } from './models.ts'
import { readModelsConfig } from './models-config.ts'

const noSleep = async (): Promise<void> => undefined
const modelsFor = (env: Record<string, string>) => createModels(readModelsConfig(env), noSleep)

test('without a key there is the demo model, under every empty name', async () => {
  const models = await modelsFor({})
  expect(models.names).toEqual(['demo/demo'])
  expect(models.find('')?.demo).toBe(true)
  expect(models.find('openai/gpt-9')).toBeUndefined()
})

test('the first key in order of preference decides the default', async () => {
  const models = await modelsFor({ OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' })
  expect(models.defaultName).toBe('anthropic/claude-sonnet-5-5')
  expect(models.find('')?.id).toBe('anthropic/claude-sonnet-5-5')
  expect(models.find('demo/demo')?.demo).toBe(true)
})

test.each([
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
])('%s alone gives a default model that exists and has a price', async (variable) => {
  const models = await modelsFor({ [variable]: 'k' })
  const model = models.find('')
  expect(model?.demo).toBe(false)
  expect(model?.price.output).toBeGreaterThan(0)
  expect(model?.contextWindow).toBeGreaterThan(100_000)
})

test('a server set up by hand goes before a key', async () => {
  const models = await modelsFor({
    ANTHROPIC_API_KEY: 'a',
    ARBE_OPENAI_BASE_URL: 'http://localhost:11434/v1',
    ARBE_OPENAI_MODELS: 'llama4',
  })
  expect(models.defaultName).toBe('local/llama4')
})

test('a chosen default that no provider has is refused by name', async () => {
  await expect(modelsFor({ ARBE_MODEL: 'openai/gpt-6-luna' })).rejects.toThrow(
    'ARBE_MODEL: "openai/gpt-6-luna" is not a model of a configured provider',
  )
  const models = await modelsFor({ ARBE_MODEL: 'openai/gpt-6-luna', OPENAI_API_KEY: 'o' })
  expect(models.defaultName).toBe('openai/gpt-6-luna')
})
