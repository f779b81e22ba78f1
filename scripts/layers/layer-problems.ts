import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { findImports } from "./find-imports.ts"
import { importCycles } from "./import-cycles.ts"

/** The layers of src/. An import goes only to a lower number. */
const layers = {
  kit: 0,
  contract: 1,
  node: 1,
  api: 2,
  config: 2,
  sandbox: 2,
  store: 2,
  policy: 3,
  runtime: 4,
  tools: 4,
  dialects: 5,
  session: 6,
  agent: 7,
  mcp: 7,
  reactive: 8,
  http: 9,
  cli: 10,
  testing: 10,
  public: 11,
} as const

type Folder = keyof typeof layers

/** What `toolkeep/core` is made from: it also runs where there is no Node. */
const coreFolders: readonly Folder[] = ["contract", "config", "policy", "runtime"]
const withoutNode: readonly Folder[] = ["kit", "api", ...coreFolders]
const coreEntry = "src/public/core.ts"

/** The one way sideways: the command line runs the conformance suites. */
const sideways = { from: "cli", to: "testing" } as const

/** The one import past an index: the command loads nothing else before it knows what runs it. */
const loadedFirst = { from: "src/cli/main.ts", to: "src/node/runtime-problem.ts" } as const

export interface LayerProblem {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** Checks the layer rule over `files`: path from the repository's root ("src/kit/clock.ts") → source. */
export function layerProblems(files: ReadonlyMap<string, string>): LayerProblem[] {
  const problems: LayerProblem[] = []
  const loads = new Map<string, string[]>()
  for (const [file, source] of files) {
    if (folderOf(file) === undefined) {
      problems.push({ file, line: 1, message: "is in no folder that has a layer" })
    }
    const loaded: string[] = []
    loads.set(file, loaded)
    for (const { specifier, line, typeOnly } of findImports(file, source)) {
      const message = specifier.startsWith(".")
        ? relativeProblem(file, posix.join(posix.dirname(file), specifier))
        : packageProblem(file, specifier)
      if (message) problems.push({ file, line, message })
      if (specifier.startsWith(".") && !typeOnly) {
        loaded.push(posix.join(posix.dirname(file), specifier))
      }
    }
  }
  return [...problems, ...cycleProblems(loads)]
}

function relativeProblem(file: string, target: string): string | undefined {
  if (target === "package.json") return undefined
  if (target.startsWith("test/support/") && file.endsWith(".test.ts")) return undefined
  if (!target.startsWith("src/")) return `imports ${target}, which is outside src`
  const from = folderOf(file)
  const to = folderOf(target)
  if (to === undefined) return `imports ${target}, which is in no folder that has a layer`
  if (file === coreEntry && !coreFolders.includes(to)) {
    return `toolkeep/core may import only ${coreFolders.join(", ")}: ${target}`
  }
  if (from === undefined) return undefined
  if (from === to) return hostProblem(file, target)
  const allowed = layers[to] < layers[from] || (from === sideways.from && to === sideways.to)
  if (!allowed) return `${from} (${layers[from]}) may not import ${to} (${layers[to]}): ${target}`
  if (withoutNode.includes(from) && !withoutNode.includes(to)) {
    return `${from} has to run without Node and may not import ${to}: ${target}`
  }
  const isFirst = file === loadedFirst.from && target === loadedFirst.to
  return isFirst ? undefined : indexProblem(to, target)
}

function indexProblem(to: Folder, target: string): string | undefined {
  if (target === `src/${to}/index.ts`) return undefined
  return `imports ${target} past src/${to}/index.ts`
}

function hostProblem(file: string, target: string): string | undefined {
  const from = hostOf(file)
  const to = hostOf(target)
  if (from === undefined || to === undefined || from === to) return undefined
  return `host ${from} may not import host ${to}: ${target}`
}

function packageProblem(file: string, specifier: string): string | undefined {
  const folder = folderOf(file)
  const pure = file === coreEntry || (folder !== undefined && withoutNode.includes(folder))
  if (!pure || !isBuiltin(specifier) || file.endsWith(".test.ts")) return undefined
  return `imports ${specifier}, but toolkeep/core has to run without Node`
}

function cycleProblems(loads: ReadonlyMap<string, readonly string[]>): LayerProblem[] {
  return importCycles(loads).map((cycle) => ({
    file: cycle[0] ?? "",
    line: 1,
    message: `imports itself in a circle: ${[...cycle, cycle[0]].join(" → ")}`,
  }))
}

function folderOf(path: string): Folder | undefined {
  const name = /^src\/([^/]+)\//.exec(path)?.[1]
  return name !== undefined && Object.hasOwn(layers, name) ? (name as Folder) : undefined
}

function hostOf(path: string): string | undefined {
  return /^src\/sandbox\/hosts\/([^/]+)\//.exec(path)?.[1]
}
