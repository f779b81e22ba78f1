import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { runtimeProblem } from "../../src/node/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { commandLine } from "../support/built-package.ts"
import { runCli } from "./run-cli.ts"

it("takes exactly the versions of Node that package.json names", () => {
  expect(manifest.engines.node).toBe("^22.13.0 || >=23.4.0")
  for (const node of ["22.13.0", "22.99.1", "23.4.0", "24.0.0", "30.1.2"]) {
    expect(runtimeProblem({ node }), node).toBe(null)
  }
  for (const node of ["18.20.0", "20.99.0", "22.12.9", "23.3.0"]) {
    expect(runtimeProblem({ node }), node).toContain(`this is Node ${node}.`)
  }
})

it.each([
  ["an older Node", { node: "20.19.0" }, "this is Node 20.19.0."],
  ["Bun", { node: "24.3.0", bun: "1.3.2" }, "this is Bun 1.3.2."],
  ["Deno", { node: "24.2.0", deno: "2.6.0" }, "this is Deno 2.6.0."],
])("on %s the command prints one sentence and exits with 1", async (_name, versions, said) => {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-runtime-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const preload = join(folder, "preload.mjs")
  const pretended = `Object.defineProperty(process, "versions", { value: ${JSON.stringify(versions)} })`
  writeFileSync(preload, pretended)
  const environment = { NODE_OPTIONS: `--import=${preload}` }
  const { exitCode, stdout, stderr } = await runCli(["call", "system.info"], { environment })
  expect({ exitCode, stdout, lines: stderr.split("\n") }).toEqual({
    exitCode: 1,
    stdout: "",
    lines: [expect.stringContaining(said), ""],
  })
})

/** A file of the package, and all that is loaded with it. */
function loadedWith(file: string): string {
  const source = readFileSync(file, "utf8")
  const others = [...source.matchAll(/\bfrom ?["'`]([^"'`]+)["'`]/g)].map(([, path = ""]) => path)
  return [source, ...others.map((path) => loadedWith(join(dirname(file), path)))].join("\n")
}

it("is all that the command loads before it knows that it can run", () => {
  const source = readFileSync(commandLine, "utf8").replace(/^#!.*\n/, "")
  expect(source).not.toMatch(/^import\b(?!\()|;import\b(?!\()/m)
  const [, first = ""] = /\bimport\(["'`]([^"'`]+)["'`]\)/.exec(source) ?? []
  const loaded = loadedWith(join(dirname(commandLine), first))
  expect(loaded).toContain("Toolkeep needs Node")
  expect(loaded.length).toBeLessThan(2_000)
})

it("a program is told the same when it opens Toolkeep", async () => {
  const { versions } = process
  onTestFinished(() => void Object.defineProperty(process, "versions", { value: versions }))
  Object.defineProperty(process, "versions", { value: { ...versions, node: "20.19.0" } })
  await expect(openToolkeep({ host: "memory" })).rejects.toThrow("this is Node 20.19.0.")
})
