import { EXIT } from './exit.ts'

/**
 * What no door caught. A promise that nobody waited for is a bug to be told, and breaks nothing for others: the house goes on. After an
 * error out of nowhere nobody knows what is half done in this process: it ends, and the next one takes everything up as after a crash.
 */
export function watchProcess(report: (error: unknown) => void): void {
  process.on('unhandledRejection', (reason) =>
    report(new Error('nobody waited for a promise that failed', { cause: reason })),
  )
  process.on('uncaughtException', (error) => {
    report(new Error('nobody caught an error: this process ends', { cause: error }))
    process.exit(EXIT.failure)
  })
}
