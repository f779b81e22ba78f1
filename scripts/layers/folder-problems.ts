import { posix } from "node:path"
import { findImports } from "./find-imports.ts"

/** The most source files that one folder may hold; tests do not count. */
const mostFiles = 15

/** Folders that are not yet what they should be. They may not grow, and an entry that is no longer needed is a problem. */
export interface KnownFolders {
  /** Over-full folders and how many source files they may hold. */
  readonly full: Readonly<Record<string, number>>
  /** Groups of sibling folders that import each other: "src/tools: process, shell". */
  readonly cycles: readonly string[]
}

/** Checks folder sizes, and that the imports between sibling folders go one way, at every depth. */
export function folderProblems(
  files: ReadonlyMap<string, string>,
  known: KnownFolders = { full: {}, cycles: [] },
): string[] {
  const sources = new Map([...files].filter(([path]) => !path.endsWith(".test.ts")))
  return [...sizeProblems([...sources.keys()], known.full), ...cycleProblems(sources, known.cycles)]
}

function sizeProblems(
  paths: readonly string[],
  known: Readonly<Record<string, number>>,
): readonly string[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const tooFull = [...counts].flatMap(([folder, count]) => {
    const most = known[folder] ?? mostFiles
    return count > most ? [`${folder} holds ${count} source files; at most ${most} may`] : []
  })
  const notNeeded = Object.keys(known)
    .filter((folder) => (counts.get(folder) ?? 0) <= mostFiles)
    .map((folder) => `${folder} is not over-full any more: remove it from known-folders.ts`)
  return [...tooFull, ...notNeeded]
}

function cycleProblems(
  sources: ReadonlyMap<string, string>,
  known: readonly string[],
): readonly string[] {
  const found = [...siblingImports(sources)].flatMap(([parent, imports]) =>
    foldersInCycles(imports).map((folders) => `${parent}: ${folders.join(", ")}`),
  )
  return [
    ...found
      .filter((cycle) => !known.includes(cycle))
      .map((cycle) => `folders import each other in a circle: ${cycle}`),
    ...known
      .filter((cycle) => !found.includes(cycle))
      .map((cycle) => `is not a circle any more: remove "${cycle}" from known-folders.ts`),
  ]
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** For each folder: which of its sub-folders imports which other. */
function siblingImports(sources: ReadonlyMap<string, string>): ReadonlyMap<string, Graph> {
  const parents = new Map<string, Map<string, Set<string>>>()
  for (const [path, source] of sources) {
    for (const { specifier } of findImports(path, source)) {
      if (!specifier.startsWith(".")) continue
      const pair = siblings(path, posix.join(posix.dirname(path), specifier))
      if (!pair) continue
      const graph = parents.get(pair.parent) ?? new Map<string, Set<string>>()
      parents.set(pair.parent, graph)
      graph.set(pair.from, (graph.get(pair.from) ?? new Set()).add(pair.to))
    }
  }
  return parents
}

/** The sub-folders of their common folder that two files are in; undefined if one is directly in it. */
function siblings(path: string, target: string) {
  const from = path.split("/").slice(0, -1)
  const to = target.split("/").slice(0, -1)
  const depth = from.findIndex((name, index) => name !== to[index])
  const [one, other] = [from[depth], to[depth]]
  if (one === undefined || other === undefined) return undefined
  return { parent: from.slice(0, depth).join("/"), from: one, to: other }
}

/** Groups of folders that reach each other, each sorted. */
function foldersInCycles(imports: Graph): readonly (readonly string[])[] {
  const reachable = new Map([...imports.keys()].map((folder) => [folder, reach(folder, imports)]))
  const groups = new Set<string>()
  for (const [folder, reached] of reachable) {
    if (!reached.has(folder)) continue
    const group = [...reached].filter((other) => reachable.get(other)?.has(folder))
    groups.add(group.sort().join("\n"))
  }
  return [...groups].sort().map((group) => group.split("\n"))
}

function reach(start: string, imports: Graph): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const folder of imports.get(next) ?? []) {
      if (reached.has(folder)) continue
      reached.add(folder)
      waiting.push(folder)
    }
  }
  return reached
}
