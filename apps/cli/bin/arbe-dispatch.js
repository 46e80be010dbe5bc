#!/usr/bin/env node
// The tool dispatcher alone, for a runtime in another language that wants nothing but stdin → stdout.

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  await import('../src/dispatch-main.ts')
} else {
  const { runOnNode24 } = await import('./run-on-node-24.js')
  await runOnNode24()
}
