import { copyFileSync, existsSync, renameSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { createId } from "../../kit/index.ts"
import { makeDirectories } from "../../node/index.ts"

/** Where the ripgrep that was installed for this platform is; null when there is none. */
export function findRipgrep(): string | null {
  try {
    // Found by name instead of imported: the package's own module throws where it has no program.
    const ours = createRequire(import.meta.url).resolve("@vscode/ripgrep")
    const platform = `@vscode/ripgrep-${process.platform}-${process.arch}`
    return createRequire(ours).resolve(`${platform}/bin/rg`)
  } catch {
    return null
  }
}

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
