import { utimesSync } from "node:fs"

/** Says that something is used now: what nobody uses for long is removed. */
export function touch(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // It belongs to another user, who then updates it himself.
  }
}
