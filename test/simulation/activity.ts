import type { ThreadId } from '@arbe/sdk'
import type { Life } from './process.ts'
import type { Timeline } from './timeline.ts'

/** A model or a tool at work for one holder of a thread. */
interface Work {
  readonly what: string
  readonly threadId: ThreadId
  readonly fence: number
  readonly life: Life
  readonly from: number
  /** When it ended, or when its process fell silent: who stands still does not work. */
  to: number
}

export interface Activity {
  readonly running: number
  begin(work: Pick<Work, 'what' | 'threadId' | 'fence' | 'life'>): { end(): void }
  /** Whatever this life does goes on no longer, or not for now. */
  silence(life: Life): void
  resume(life: Life): void
  /** Times in which two holders of one thread were at work, each longer than the margin. */
  overlaps(marginMs: number): readonly string[]
}

export function createActivity(timeline: Timeline): Activity {
  const done: Work[] = []
  const running = new Set<{ work: Work; silent: boolean }>()

  function close(work: Work): void {
    work.to = timeline.now
    done.push(work)
  }

  return {
    get running() {
      return [...running].filter(({ work }) => work.life.alive).length
    },
    begin(given) {
      const one = { work: { ...given, from: timeline.now, to: Infinity }, silent: false }
      running.add(one)
      return {
        end() {
          if (!running.delete(one) || one.silent) return
          close(one.work)
        },
      }
    },
    silence(life) {
      for (const one of running) {
        if (one.work.life !== life || one.silent) continue
        one.silent = true
        close(one.work)
      }
    },
    resume(life) {
      for (const one of running) {
        if (one.work.life !== life || !one.silent) continue
        one.silent = false
        one.work = { ...one.work, from: timeline.now, to: Infinity }
      }
    },
    overlaps: (marginMs) =>
      done.flatMap((one, at) =>
        done
          .slice(at + 1)
          .filter((other) => other.threadId === one.threadId && other.fence !== one.fence)
          .flatMap((other) => {
            const ms = Math.min(one.to, other.to) - Math.max(one.from, other.from)
            return ms > marginMs
              ? [
                  `I2: ${one.what} of fence ${one.fence} and ${other.what} of fence ${other.fence} ran together for ${ms} ms`,
                ]
              : []
          }),
      ),
  }
}
