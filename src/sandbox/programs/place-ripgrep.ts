import { copyFileSync, existsSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { createId } from "../../kit/index.ts"
import { makeDirectories } from "../../node/index.ts"
import { findRipgrep } from "./find-ripgrep.ts"

/**
 * Copies ripgrep to where a sandbox's user can walk to it; null when there is none. Whole or not at
 * all: another process may be about to use it.
 */
export function placeRipgrep(target: string): string | null {
  const source = findRipgrep()
  if (source === null) return null
  if (!existsSync(target)) {
    makeDirectories(dirname(target), 0o755)
    const temporary = `${target}.${createId("new")}`
    copyFileSync(source, temporary)
    renameSync(temporary, target)
  }
  return target
}
