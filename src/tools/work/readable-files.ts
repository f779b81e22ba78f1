import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** What a process that works reads of this machine: Node, Toolkeep's own code, and installed packages. */
export function readableFiles(file: URL): readonly string[] {
  const node = realpathSync(process.execPath)
  const parents: string[] = []
  for (let at = dirname(realpathSync(fileURLToPath(file))); ; at = dirname(at)) {
    parents.unshift(at)
    if (at === dirname(at)) break
  }
  const own = parents.findLast((path) => isToolkeep(join(path, "package.json")))
  return [
    ...[process.execPath, node, join(dirname(dirname(node)), "lib")],
    // From the outside in: one may hold the next.
    ...parents.map((path) => join(path, "node_modules")),
    ...(own === undefined ? [] : ["package.json", "src", "dist"].map((name) => join(own, name))),
  ].filter((path) => existsSync(path))
}

function isToolkeep(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, "utf8")).name === "toolkeep"
  } catch {
    return false
  }
}
