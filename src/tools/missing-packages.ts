import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/**
 * For a tool's `missing`: says how to install the optional packages that it needs and that are not
 * here. Looks for directories only, because loading a heavy library is for the first call.
 */
export function missingPackages(tool: string, packages: readonly string[]): () => string | null {
  let found = false
  return () => {
    if (found) return null
    const absent = packages.filter((name) => !isInstalled(name))
    found = absent.length === 0
    if (found) return null
    return `${tool} needs ${absent.join(" and ")}: run \`npm install ${absent.join(" ")}\`.`
  }
}

const { resolve } = createRequire(import.meta.url)

function isInstalled(name: string): boolean {
  const directories = resolve.paths(name) ?? []
  return directories.some((directory) => existsSync(join(directory, name, "package.json")))
}
