import { prepareTemplate } from '@arbe/core/db/data-template'

// A process that makes an empty, migrated database folder where its argument says, so that it can be killed at it.

await prepareTemplate(process.argv[2])
