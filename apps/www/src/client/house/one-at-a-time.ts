/** Does the work of a name once at a time; asked for again meanwhile, it is done once more. */
export function oneAtATime(work: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const busy = new Set<string>()
  const again = new Set<string>()
  return async (name) => {
    again.add(name)
    if (busy.has(name)) return
    busy.add(name)
    try {
      while (again.delete(name)) await work(name)
    } finally {
      busy.delete(name)
      again.delete(name)
    }
  }
}
