// Builds what cannot be run from its sources: `npm run build`.
import { fileURLToPath } from 'node:url'
import { buildWebPage } from '../apps/www/src/server/build-web-page.ts'
import { buildDispatcher } from './build-dispatcher.ts'

const inCheckout = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await buildDispatcher(inCheckout('apps/cli/dist/arbe-dispatch.js'))
await buildWebPage()
