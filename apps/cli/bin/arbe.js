#!/usr/bin/env node
// Plain JavaScript on purpose: an old Node must be able to read it, and a .js entry lets the compile cache hold the stripped .ts files.

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  // `dispatch` is compared here, before anything else is loaded: its start-up time is part of its contract.
  if (process.argv[2] === 'dispatch') await import('../src/dispatch-main.ts')
  else await import('../src/main.ts')
} else {
  const { runOnNode24 } = await import('./run-on-node-24.js')
  await runOnNode24()
}
