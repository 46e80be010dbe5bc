import { expect, test } from 'vitest'

import { readModelsConfig } from './models-config.ts'

test('an empty environment configures nothing', () => {
  expect(readModelsConfig({ ARBE_MODEL: ' ', OPENAI_API_KEY: '' })).toEqual({
    defaultModel: undefined,
    keys: new Map(),
    providers: [],
  })
})

test('keys are found under the usual names', () => {
  const config = readModelsConfig({ ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g', OTHER: 'x' })
  expect(config.keys).toEqual(
    new Map([
      ['anthropic', 'a'],
      ['google', 'g'],
    ]),
  )
})

test('one OpenAI-compatible server has a short form', () => {
  const { providers } = readModelsConfig({
    ARBE_OPENAI_BASE_URL: 'http://localhost:11434/v1',
    ARBE_OPENAI_MODELS: 'llama4, qwen4 ,',
  })
  const defaults = { inputPrice: 0, outputPrice: 0, contextWindow: 32_768, maxOutput: 8_192 }
  expect(providers).toEqual([
    {
      name: 'local',
      kind: 'openai',
      baseUrl: 'http://localhost:11434/v1',
      apiKey: undefined,
      models: [
        { id: 'llama4', ...defaults },
        { id: 'qwen4', ...defaults },
      ],
    },
  ])
})

test('any number of servers is listed as JSON', () => {
  const listed = [
    {
      name: 'gateway',
      kind: 'anthropic',
      baseUrl: 'https://models.example',
      apiKey: 'k',
      models: [{ id: 'm', inputPrice: 1, outputPrice: 2, contextWindow: 9, maxOutput: 8 }],
    },
  ]
  expect(readModelsConfig({ ARBE_PROVIDERS: JSON.stringify(listed) }).providers).toEqual(listed)
})

const server = { name: 'x', kind: 'openai', baseUrl: 'http://h/v1', models: [{ id: 'm' }] }

test.each([
  ['no JSON', { ARBE_PROVIDERS: 'sk-secret' }, 'ARBE_PROVIDERS is not JSON'],
  [
    'a typing error',
    { ARBE_PROVIDERS: JSON.stringify([{ ...server, url: 'sk-secret' }]) },
    'ARBE_PROVIDERS: 0 Unrecognized key: "url"',
  ],
  [
    'a well-known name',
    { ARBE_PROVIDERS: JSON.stringify([{ ...server, name: 'openai' }]) },
    'ARBE_PROVIDERS: 0.name is taken',
  ],
  [
    'a name that breaks a model name',
    { ARBE_PROVIDERS: JSON.stringify([{ ...server, name: 'a/b' }]) },
    'ARBE_PROVIDERS: 0.name is not in lower-case letters, digits and "-"',
  ],
  [
    'two of a name',
    { ARBE_PROVIDERS: JSON.stringify([server, server]) },
    'ARBE_PROVIDERS: there are two providers named "x"',
  ],
  [
    'a server without models',
    { ARBE_OPENAI_BASE_URL: 'http://h/v1' },
    'ARBE_OPENAI_BASE_URL needs ARBE_OPENAI_MODELS: the ids it serves',
  ],
])('%s is refused with the name of its variable and without its value', (_, env, message) => {
  expect(() => readModelsConfig(env)).toThrow(expect.objectContaining({ message }))
})
