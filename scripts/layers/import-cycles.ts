/** The circles in a graph of files: each as the files on it, in order, found once. */
export function importCycles(loads: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = []
  const finished = new Set<string>()
  const trail: string[] = []

  function follow(file: string): void {
    if (finished.has(file)) return
    const seenAt = trail.indexOf(file)
    if (seenAt >= 0) {
      cycles.push(trail.slice(seenAt))
      return
    }
    trail.push(file)
    for (const next of loads.get(file) ?? []) follow(next)
    trail.pop()
    finished.add(file)
  }

  for (const file of loads.keys()) follow(file)
  return cycles
}
