export interface Plant {
  readonly what: string
  readonly path: string
  readonly source: string
  /** The rule's code, or its message where it has none. */
  readonly rule: string
}

/** What lint has to report, one violation a file. */
export const plants: readonly Plant[] = [
  imports('the sdk imports core', 'packages/sdk/plant-core.ts', '@arbe/core/db/executor'),
  imports('the sdk imports a node module', 'packages/sdk/plant-node.ts', 'node:fs'),
  imports('the sdk leaves its package', 'packages/sdk/plant-path.ts', '../core/db/executor.ts'),
  imports('db imports streams', 'packages/core/db/plant-up.ts', '../streams/thread-stream.ts'),
  imports('streams imports threads', 'packages/core/streams/plant-up.ts', '../threads/turn.ts'),
  imports('streams imports a driver', 'packages/core/streams/plant-driver.ts', 'pg'),
  imports('jobs imports its sibling', 'packages/core/jobs/plant-side.ts', '../access/tokens.ts'),
  imports('access imports bots', 'packages/core/access/plant-up.ts', '../bots/bots.ts'),
  imports(
    'threads imports the director',
    'packages/core/threads/plant-up.ts',
    '../thread-director/thread-director-store.ts',
  ),
  imports('bots imports dispatch', 'packages/core/bots/plant-up.ts', '../dispatch/dispatch.ts'),
  imports('volumes imports a driver', 'packages/core/volumes/plant.ts', '@electric-sql/pglite'),
  imports(
    'models imports pi-ai elsewhere',
    'packages/core/models/plant.ts',
    '@earendil-works/pi-ai/providers',
  ),
  imports(
    'the director imports dispatch',
    'packages/core/thread-director/plant-side.ts',
    '../dispatch/dispatch.ts',
  ),
  imports(
    'dispatch imports the director',
    'packages/core/dispatch/plant-side.ts',
    '../thread-director/thread-director-port.ts',
  ),
  imports(
    'dispatch imports jobs',
    'packages/core/dispatch/plant-jobs.ts',
    '../jobs/wake-thread.ts',
  ),
  imports(
    'core imports itself by name',
    'packages/core/bots/plant-self.ts',
    '@arbe/core/threads/turn',
  ),
  imports('core imports the sandbox', 'packages/core/dispatch/plant-sandbox.ts', '@arbe/sandbox'),
  imports('core imports an app', 'packages/core/dispatch/plant-app.ts', '@arbe/www/start-www'),
  imports(
    'the rules import the database',
    'packages/core/thread-director/thread-director-rules.ts',
    '../db/executor.ts',
  ),
  imports(
    'eligibility imports a node module',
    'packages/core/thread-director/thread-director-eligibility.ts',
    'node:crypto',
  ),
  imports(
    'the entry view imports the store',
    'packages/core/thread-director/thread-director-entry-view.ts',
    './thread-director-store.ts',
  ),
  imports(
    'the decision imports streams',
    'packages/core/thread-director/thread-director-decision.ts',
    '../streams/thread-stream.ts',
  ),
  imports(
    'the tool loop imports threads',
    'packages/core/dispatch/tool-loop.ts',
    '../threads/turn.ts',
  ),
  imports(
    'the coding agent in core',
    'packages/core/dispatch/plant-agent.ts',
    '@earendil-works/pi-coding-agent',
  ),
  imports('the environment as a module', 'packages/core/jobs/plant-process.ts', 'node:process'),
  imports('the sandbox imports an app', 'packages/sandbox/plant.ts', '@arbe/backstage/config'),
  imports('www imports backstage', 'apps/www/src/server/plant.ts', '@arbe/backstage/config'),
  imports('backstage imports www', 'apps/backstage/src/plant.ts', '@arbe/www/config'),
  imports('the cli imports an app', 'apps/cli/src/plant.ts', '@arbe/www/start-www'),
  imports('the client imports core', 'apps/www/src/client/plant-core.ts', '@arbe/core/db/executor'),
  imports('the client imports a node module', 'apps/www/src/client/plant-node.ts', 'node:fs'),
  imports(
    'the client imports the server',
    'apps/www/src/client/plant-server.ts',
    '../server/session.ts',
  ),
  imports('the client imports hono', 'apps/www/src/client/plant-hono.ts', 'hono'),
  {
    what: 'a type is imported from above',
    path: 'packages/core/streams/plant-type.ts',
    source: "import type { T } from '../threads/turn.ts'\nexport type U = T\n",
    rule: 'eslint(no-restricted-imports)',
  },
  {
    what: 'a module from above is exported again',
    path: 'packages/core/streams/plant-again.ts',
    source: "export * from '../threads/turn.ts'\n",
    rule: 'eslint(no-restricted-imports)',
  },
  {
    what: 'a module from above is imported later',
    path: 'packages/core/streams/plant-later.ts',
    source: "export const later = () => import('../threads/turn.ts')\n",
    rule: 'eslint(no-restricted-imports)',
  },
  {
    what: 'two files import each other',
    path: 'packages/core/bots/plant-ring.ts',
    source: "import { b } from './plant-ring-end.ts'\nexport const a = () => b\n",
    rule: 'import(no-cycle)',
  },
  {
    what: 'a hook is called in a condition',
    path: 'apps/www/src/client/plant-hook.tsx',
    source:
      "import { useState } from 'react'\nexport function Plant({ on }: { on: boolean }) {\n  if (on) useState(0)\n  return null\n}\n",
    rule: 'react(hooks)',
  },
  {
    what: 'a module is mocked',
    path: 'packages/core/streams/plant-mock.test.ts',
    source: "import { vi } from 'vitest'\nvi.mock('./thread-stream.ts')\n",
    rule: 'vitest(no-restricted-vi-methods)',
  },
  {
    what: 'one test runs alone',
    path: 'packages/core/streams/plant-only.test.ts',
    source: "import { expect, test } from 'vitest'\ntest.only('a', () => expect(1).toBe(1))\n",
    rule: 'vitest(no-focused-tests)',
  },
  {
    what: 'a file name in camel case',
    path: 'packages/core/streams/plantName.ts',
    source: 'export const a = 1\n',
    rule: 'unicorn(filename-case)',
  },
  code('the environment', 'node(no-process-env)', "export const home = process.env['HOME']\n"),
  code('floating promise', 'typescript(no-floating-promises)', 'const f = async () => {}\nf()\n'),
  code(
    'promise in for each',
    'typescript(no-misused-promises)',
    '[1].forEach(async (n) => {\n  await Promise.resolve(n)\n})\n',
  ),
  code(
    'open switch',
    'typescript(switch-exhaustiveness-check)',
    "export function f(k: 'a' | 'b'): void {\n  switch (k) {\n    case 'a':\n      console.log(k)\n  }\n}\n",
  ),
  code(
    'default in a full switch',
    'typescript(switch-exhaustiveness-check)',
    "export function f(k: 'a'): void {\n  switch (k) {\n    case 'a':\n      console.log(k)\n      break\n    default:\n      console.log(0)\n  }\n}\n",
  ),
  code('any', 'typescript(no-explicit-any)', 'export const a = (b: any): unknown => b\n'),
  code(
    'non null',
    'typescript(no-non-null-assertion)',
    'export const a = (b: string | undefined): string => b!\n',
  ),
  code(
    'defensive noise',
    'typescript(no-unnecessary-condition)',
    'export const a = (b: string): number => b?.length\n',
  ),
  code(
    'narrowing cast',
    'typescript(no-unsafe-type-assertion)',
    'export const a = (b: unknown): string => b as string\n',
  ),
  code(
    'type imported as a value',
    'typescript(consistent-type-imports)',
    "import { Executor } from '../db/executor.ts'\nexport type A = Executor\n",
  ),
  code(
    'four parameters',
    'eslint(max-params)',
    'export const a = (b: 1, c: 1, d: 1, e: 1): number => b + c + d + e\n',
  ),
  code('long function', 'eslint(max-lines-per-function)', `export function f() {\n${lines(60)}}\n`),
  code('long file', 'eslint(max-lines)', lines(401)),
  code('node module without prefix', 'unicorn(prefer-node-protocol)', importing('fs')),
  code(
    'stale suppression',
    'Unused oxlint-disable directive (no problems were reported).',
    '// oxlint-disable-next-line no-console -- none\nexport const a = 1\n',
  ),
]

/** The exceptions that lint has to leave alone. */
export const allowed: readonly Pick<Plant, 'path' | 'source'>[] = [
  { path: 'packages/core/db/fine.ts', source: importing('pg') },
  { path: 'packages/core/streams/fine.ts', source: importing('../db/executor.ts') },
  { path: 'packages/core/models/pi-ai-model.ts', source: importing('@earendil-works/pi-ai') },
  { path: 'packages/core/dispatch/fine.ts', source: importing('../volumes/volumes.ts') },
  { path: 'packages/core/dispatch/fine-name.ts', source: importing('@arbe/sdk/entries') },
  { path: 'packages/core/thread-director/fine.ts', source: importing('../jobs/wake-thread.ts') },
  { path: 'packages/sandbox/fine.ts', source: importing('@earendil-works/pi-coding-agent') },
  { path: 'apps/cli/src/serve.ts', source: importing('@arbe/www/start-www') },
  { path: 'apps/www/src/client/fine.ts', source: importing('@arbe/sdk/client') },
  { path: 'apps/www/src/server/config.ts', source: "export const a = process.env['PORT']\n" },
  { path: 'packages/core/streams/fine.test.ts', source: importing('../threads/turn.ts') },
]

function imports(what: string, path: string, from: string): Plant {
  return { what, path, source: importing(from), rule: 'eslint(no-restricted-imports)' }
}

function code(what: string, rule: string, source: string): Plant {
  return { what, path: `packages/core/streams/${what.replaceAll(' ', '-')}.ts`, source, rule }
}

function importing(from: string): string {
  return `import { it } from '${from}'\nconsole.log(it)\n`
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, n) => `  console.log(${n})\n`).join('')
}
