// What an installation makes ahead, so that the first start is fast. Plain JavaScript: an old Node must be able to read it. It
// never fails an installation, since the first start makes what is missing.
const steps = [
  {
    makes: 'the web page',
    run: async () => {
      const { buildWebPage } = await import('../apps/www/src/server/build-web-page.ts')
      await buildWebPage()
    },
  },
  {
    makes: 'the database template',
    run: async () => {
      const { prepareTemplate } = await import('../packages/core/db/data-template.ts')
      await prepareTemplate()
    },
  },
]

if (Number(process.versions.node.split('.')[0]) >= 24) {
  for (const { makes, run } of steps) {
    console.log(`making ${makes}`)
    await run().catch((error) => {
      console.log(`${makes} was not made, the first start will make it: ${error.message}`)
    })
  }
} else {
  console.log('Node 24 is not installed yet: the first start will make what it needs')
}
