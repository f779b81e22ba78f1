/** The first minor version of each major one that has what Toolkeep uses, SQLite last; package.json's engines say the same. */
const firstMinor: Readonly<Record<number, number>> = { 22: 13, 23: 4 }

/**
 * Why Toolkeep can't run on what runs it, as a sentence; null on a Node that fits. Written so that old ones, and
 * others than Node, can read it: the command loads nothing else before.
 */
export function runtimeProblem(
  versions: Readonly<Record<string, string | undefined>>,
): string | null {
  const needed = "Toolkeep needs Node 22.13 or later (of Node 23, 23.4 or later)"
  if (versions.bun) return `${needed}; this is Bun ${versions.bun}. Run it with Node.`
  if (versions.deno) return `${needed}; this is Deno ${versions.deno}. Run it with Node.`
  const [major = 0, minor = 0] = String(versions.node).split(".").map(Number)
  if (major > 23 || minor >= (firstMinor[major] ?? Number.POSITIVE_INFINITY)) return null
  return `${needed}; this is Node ${versions.node}. Install a newer one from https://nodejs.org.`
}
