import { createRequire } from "node:module"

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
