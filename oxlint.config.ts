import { defineConfig } from 'oxlint'
import type { OxlintOverride } from 'oxlint'

interface Ban {
  readonly regex: string
  readonly message: string
}

// Lowest first. A folder imports the layers before its own, never its siblings and never a later one.
const coreLayers = [
  ['db'],
  ['streams'],
  ['jobs', 'access'],
  ['environments'],
  ['threads', 'bots', 'volumes', 'models'],
  ['thread-director', 'dispatch'],
]

const byName: Ban = {
  regex: '^\\.\\.?/(.*/)?(packages|apps|sdk|core|sandbox|backstage|www|cli)/',
  message: 'another package is imported by its name',
}
const environment: Ban = {
  regex: '^(node:)?process$',
  message: 'only config.ts reads the environment; process is a global for everything else',
}
const drivers: Ban = {
  regex: '^(@electric-sql/|pg(-[a-z]+)?(/|$))',
  message: 'only db/ knows a database driver',
}
const modelLibrary: Ban = {
  regex: '^@earendil-works/pi-ai(/|$)',
  message: 'only models/pi-ai-model.ts knows the model library',
}
const codingAgent: Ban = {
  regex: '^@earendil-works/pi-(coding-agent|agent)',
  message: 'the coding agent runs inside the sandbox, never in a server process',
}
const nodeModules: Ban = { regex: '^node:', message: 'this runs where there is no Node' }
const everywhere = [byName, environment, drivers, modelLibrary, codingAgent]
const except = (bans: readonly Ban[], lifted: Ban): Ban[] => bans.filter((ban) => ban !== lifted)

const folders = (names: readonly string[], message: string): Ban => ({
  regex: `(^|/)(${names.join('|')})(/|$)`,
  message,
})
const packages = (names: readonly string[], message: string): Ban => ({
  regex: `^@arbe/(${names.join('|')})(/|$)`,
  message,
})
const outsideCore = packages(
  ['core', 'sandbox', 'backstage', 'www', 'cli'],
  'core imports the sdk by name and itself by relative path, nothing else of arbe',
)

// A later override replaces the rule of an earlier one, so each carries its whole list.
const imports = (files: string, patterns: Ban[]): OxlintOverride => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
})

function notBelow(folder: string, level: number): Ban {
  const others = coreLayers
    .slice(level)
    .flat()
    .filter((name) => name !== folder)
  return folders(others, `this folder does not stand below ${folder}/`)
}

function coreFolder(folder: string, level: number): OxlintOverride {
  const bans = folder === 'db' ? except(everywhere, drivers) : [...everywhere]
  bans.push(outsideCore, notBelow(folder, level))
  if (folder === 'dispatch') bans.push(folders(['jobs'], 'a turn knows no queue'))
  return imports(`packages/core/${folder}/**`, bans)
}

const pure = 'the rules are pure: a view in, a decision out'
const aboveLoop = ['db', 'streams', 'jobs', 'access', 'threads', 'bots', 'thread-director']
const standApart = packages(
  ['backstage', 'www', 'cli'],
  'apps stand apart; only serve.ts joins them',
)

const importDirections: OxlintOverride[] = [
  ...coreLayers.flatMap((layer, level) => layer.map((folder) => coreFolder(folder, level))),
  imports(
    'packages/core/thread-director/thread-director-{rules,eligibility,entry-view,requests,changes,budget,acknowledgement,draft,closing,prompt,pick,decision}.ts',
    [
      ...everywhere,
      outsideCore,
      nodeModules,
      folders(['db', 'streams', 'dispatch'], pure),
      { regex: 'thread-director-store', message: pure },
    ],
  ),
  imports('packages/core/dispatch/tool-loop.ts', [
    ...everywhere,
    outsideCore,
    folders(aboveLoop, 'the tool loop knows neither threads nor streams'),
  ]),
  imports('packages/core/models/pi-ai-model.ts', [
    ...except(everywhere, modelLibrary),
    outsideCore,
    notBelow('models', 4),
  ]),
  imports('packages/sdk/**', [
    ...everywhere,
    nodeModules,
    { regex: '^@arbe/', message: 'the sdk imports nothing of arbe' },
  ]),
  imports('packages/sandbox/**', [
    ...except(everywhere, codingAgent),
    packages(['sandbox', 'backstage', 'www', 'cli'], 'the sandbox imports core and the sdk only'),
  ]),
  imports('apps/{backstage,www,cli}/**', [...everywhere, standApart]),
  imports('apps/cli/src/serve.ts', everywhere),
  imports('apps/www/src/client/**', [
    ...everywhere,
    nodeModules,
    packages(['core', 'sandbox', 'backstage', 'www', 'cli'], 'the client imports the sdk only'),
    folders(['server'], 'the client talks to the server over HTTP'),
    {
      regex: '^(hono|@hono/|better-auth|kysely|vite|@vitejs/|@tailwindcss/)',
      message: 'the client imports libraries of the page only',
    },
  ]),
]

export default defineConfig({
  plugins: [
    'typescript',
    'import',
    'unicorn',
    'oxc',
    'promise',
    'node',
    'react',
    'jsx-a11y',
    'vitest',
  ],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error', denyWarnings: true },
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      { allowDefaultCaseForExhaustiveSwitch: false },
    ],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unnecessary-condition': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/only-throw-error': 'error',
    'import/no-cycle': ['error', { ignoreTypes: true }],
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    'node/no-process-env': 'error',
    'unicorn/prefer-node-protocol': 'error',
    'unicorn/no-abusive-eslint-disable': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', { max: 3 }],
    'no-else-return': 'error',
    'react/exhaustive-deps': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    // `await using _lock = …` holds something for its lifetime alone; brands are called __brand.
    'no-underscore-dangle': 'off',
    'react/react-in-jsx-scope': 'off',
    // A CommonJS library is imported whole: `pg.Pool`.
    'import/no-named-as-default-member': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    // It does not see that a switch is exhaustive; tsc does, by noImplicitReturns.
    'typescript/consistent-return': 'off',
  },
  overrides: [
    ...importDirections,
    {
      files: ['**/config.ts', '*.config.ts', 'scripts/**', 'test/**', '**/*.test.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      // A component is markup for a good part.
      files: ['apps/www/src/client/**/*.tsx'],
      rules: {
        'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      files: ['test/**', '**/*.test.{ts,tsx}'],
      rules: {
        'typescript/no-unsafe-type-assertion': 'off',
        'unicorn/consistent-function-scoping': 'off',
        'no-restricted-imports': 'off',
        'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
        'max-lines-per-function': 'off',
        'max-params': 'off',
        'no-shadow': 'off',
        'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*', 'fc.assert'] }],
        'vitest/no-focused-tests': 'error',
        'vitest/no-identical-title': 'error',
        'vitest/no-restricted-vi-methods': [
          'error',
          { mock: 'a fake is an object passed in', doMock: 'a fake is an object passed in' },
        ],
      },
    },
  ],
})
