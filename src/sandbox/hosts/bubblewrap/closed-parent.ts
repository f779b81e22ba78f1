import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** The first directory above, or itself, that others may not pass through; null when there is none. */
export function closedParent(directory: string): string | null {
  const parents: string[] = []
  for (let path = resolve(directory); path !== "/"; path = dirname(path)) parents.unshift(path)
  return parents.find((path) => existsSync(path) && (statSync(path).mode & 0o001) === 0) ?? null
}
