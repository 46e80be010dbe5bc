// Started directly (not through npm), a bin runs on the machine's own Node; this hands over to the Node 24 that npm installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Runs this very command on the bundled Node 24, passes signals and the exit code through, or says in one sentence what is missing. */
export async function runOnNode24() {
  const node = bundledNode()
  if (node === undefined) {
    console.error(
      `arbe needs Node 24 and this is ${process.version}. Run "npm ci" in the checkout, which brings it, or install Node 24.`,
    )
    process.exit(1)
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.exitCode = await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

function bundledNode() {
  try {
    const path = createRequire(import.meta.url).resolve('node/bin/node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
