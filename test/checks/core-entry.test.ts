import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { build } from "tsdown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "./run-command.ts"

const coreEntry = join(repositoryRoot, "src/public/core.ts")

/** What a worker and a browser have beside the language itself. */
const webGlobals = {
  AbortController,
  AbortSignal,
  clearTimeout,
  crypto,
  performance,
  queueMicrotask,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextEncoder,
  URL,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-core-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function writeModule(name: string, source: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, source)
  return path
}

/** Loads a module, and all that it imports, in a Node that refuses its own modules. */
function loadWithoutBuiltins(path: string) {
  const preload = new URL("./refuse-builtins.ts", import.meta.url)
  return runCommand(`node --import '${preload.href}' '${path}'`, { cwd: repositoryRoot })
}

/** Runs a module, with all that it imports, where there is no Node at all; gives what it exports. */
async function loadInBareContext(path: string): Promise<Record<string, unknown>> {
  const [bundle] = await build({
    config: false,
    entry: [path],
    format: "iife",
    globalName: "exported",
    platform: "neutral",
    inputOptions: { resolve: { mainFields: ["module", "main"] } },
    deps: { alwaysBundle: [/./], onlyBundle: false },
    dts: false,
    write: false,
    logLevel: "silent",
  })
  const chunk = bundle?.chunks.find((one) => one.type === "chunk")
  return runInContext(`${chunk?.code}\nexported`, createContext({ ...webGlobals }))
}

describe("toolkeep/core", () => {
  it("loads with no module of Node's in its whole graph", async () => {
    expect(await loadWithoutBuiltins(coreEntry)).toEqual({ exitCode: 0, output: "" })
  })

  it("answers a call in a context that has no process, no Buffer and no require", async () => {
    const path = await writeModule(
      "program.ts",
      `import { createRuntime, defineTool } from "${coreEntry}"
      const inputSchema = {
        type: "object",
        properties: { number: { type: "integer" } },
        required: ["number"],
        additionalProperties: false,
      } as const
      const run = ({ number }) => ({ twice: number * 2 })
      const double = defineTool({ name: "math.double", description: "Doubles.", input: inputSchema, run })
      const runtime = createRuntime({ tools: [double] })
      export const answer = runtime.call({ tool: "math.double", input: { number: "21" } })`,
    )
    const { answer } = await loadInBareContext(path)
    // Through JSON, because an object of another context is no equal of one from here.
    expect(JSON.parse(JSON.stringify(await answer))).toEqual({
      ok: true,
      tool: "math.double",
      result: { twice: 42 },
      warnings: [expect.stringContaining("number")],
    })
  })
})

describe("the check of toolkeep/core", () => {
  it.each([
    ["an import", 'import "node:fs"', "node:fs"],
    ["an import without its prefix", 'import "fs"', "fs"],
    ["an import in a dependency", 'import "./dependency.cjs"', "os"],
  ])("fails for %s", async (_case, source, name) => {
    await writeModule("dependency.cjs", 'require("os")')
    const result = await loadWithoutBuiltins(await writeModule("imports.mts", source))
    expect(result).toEqual({
      exitCode: 1,
      output: expect.stringContaining(`Error: ${name} was imported by file://`),
    })
  })

  it.each([
    ["an import", 'import { readFileSync } from "node:fs"\nexport const read = readFileSync'],
    ["a use of Buffer", 'export const bytes = Buffer.from("a")'],
    ["a use of process", "export const version = process.version"],
  ])("fails in the bare context for %s", async (_case, source) => {
    const path = await writeModule("uses-node.ts", source)
    await expect(loadInBareContext(path)).rejects.toMatchObject({ name: "ReferenceError" })
  })

  it("passes for a module that needs only the language and the web", async () => {
    const source = "export const bytes = new TextEncoder().encode('a').length"
    const path = await writeModule("needs-nothing.ts", source)
    expect(await loadWithoutBuiltins(path)).toEqual({ exitCode: 0, output: "" })
    expect(await loadInBareContext(path)).toMatchObject({ bytes: 1 })
  })
})
