import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDead, ownerOf } from "./owner.ts"

/** In a sandbox's directory: whose it is. */
const ownerFile = "owner"

/** Says that a sandbox's directory belongs to this process. */
export function markOwned(directory: string): void {
  writeFileSync(join(directory, ownerFile), ownerOf(process.pid))
}

/** The directories of sandboxes whose Toolkeep died without removing them. */
export function abandonedIn(directory: string): readonly string[] {
  const names = readdirSync(directory)
  return names.map((name) => join(directory, name)).filter(isAbandoned)
}

function isAbandoned(directory: string): boolean {
  try {
    return isDead(readFileSync(join(directory, ownerFile), "utf8"))
  } catch {
    return false
  }
}
