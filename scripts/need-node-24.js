// npm scripts find Node 24 in node_modules/.bin; it is missing when install scripts or optional packages were switched off.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `arbe needs Node 24 and this is ${process.version}. It comes with "npm ci" (the optional package "node"); run "npm ci" again without --ignore-scripts and --omit=optional, or install Node 24.`,
  )
  process.exit(1)
}
