/** Where the body of a pattern is being wired: what its steps and writables belong to. */
export interface Scope {
  /** The place of the body: "" for the pattern that runs, "2/" for one inside it. */
  readonly path: string
  /** The next place of this kind in the body, such as "exec0". */
  place(kind: string): string
  /** Throws where the pattern has ended. */
  requireOpen(): void
}

let current: Scope | null = null

/** The body that runs now; null in handlers, in `computed` and outside. */
export function wiringScope(): Scope | null {
  return current
}

/** Runs something as, or outside of, a body. */
export function withScope<T>(scope: Scope | null, work: () => T): T {
  const outer = current
  current = scope
  try {
    return work()
  } finally {
    current = outer
  }
}

export function createScope(path: string): Scope {
  const counts = new Map<string, number>()
  return {
    path,
    place(kind) {
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      return `${path}${kind}${count}`
    },
    requireOpen: () => {},
  }
}
