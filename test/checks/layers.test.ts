import { describe, expect, it } from "vitest"
import { layerProblems } from "../../scripts/layers/layer-problems.ts"
import { readSources } from "../../scripts/repository.ts"

const problemsOf = (files: Record<string, string>) =>
  layerProblems(new Map(Object.entries(files))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  )

describe("the layer check", () => {
  it("finds nothing wrong in this repository", async () => {
    const sources = await readSources()
    expect(sources.size).toBeGreaterThan(20)
    expect(layerProblems(sources)).toEqual([])
  })

  it.each([
    ["a static import", 'import { runCall } from "../runtime/index.ts"'],
    ["a type import", 'import type { Registry } from "../runtime/index.ts"'],
    ["an inline type import", 'import { type Registry } from "../runtime/index.ts"'],
    ["an import for its effect", 'import "../runtime/index.ts"'],
    ["a namespace import", 'import * as runtime from "../runtime/index.ts"'],
    ["a re-export", 'export { runCall } from "../runtime/index.ts"'],
    ["a type re-export", 'export type { Registry } from "../runtime/index.ts"'],
    ["a re-export of everything", 'export * from "../runtime/index.ts"'],
    ["a dynamic import", 'const load = async () => { await import("../runtime/index.ts") }'],
    ["a dynamic import in back quotes", "const load = () => import(`../runtime/index.ts`)"],
    ["an import type", 'type Registry = import("../runtime/index.ts").Registry'],
    ["a typeof import", 'let runtime: typeof import("../runtime/index.ts")'],
    ["a worker", 'new Worker(new URL("../runtime/index.ts", import.meta.url))'],
  ])("catches %s that goes to a higher layer", (_kind, source) => {
    expect(problemsOf({ "src/policy/judge.ts": source })).toEqual([
      "src/policy/judge.ts:1: policy (3) may not import runtime (4): src/runtime/index.ts",
    ])
  })

  it("catches an import between two folders of one layer", () => {
    expect(problemsOf({ "src/config/parse.ts": '\nimport "../sandbox/index.ts"' })).toEqual([
      "src/config/parse.ts:2: config (2) may not import sandbox (2): src/sandbox/index.ts",
    ])
  })

  it("catches an import of a lower layer that needs Node, in a folder that has to run without it", () => {
    expect(problemsOf({ "src/policy/judge.ts": 'import "../sandbox/index.ts"' })).toEqual([
      "src/policy/judge.ts:1: policy has to run without Node and may not import sandbox: src/sandbox/index.ts",
    ])
  })

  it("catches an import past a folder's index.ts", () => {
    expect(problemsOf({ "src/policy/judge.ts": 'import "../kit/clock.ts"' })).toEqual([
      "src/policy/judge.ts:1: imports src/kit/clock.ts past src/kit/index.ts",
    ])
  })

  it("holds tests beside the code to the same rule", () => {
    expect(problemsOf({ "src/policy/judge.test.ts": 'import "../kit/clock.ts"' })).toHaveLength(1)
  })

  it("catches one host that imports another, and lets a host import its own files and the sandbox's", () => {
    expect(
      problemsOf({
        "src/sandbox/hosts/local/local-host.ts": 'import "../memory/memory-host.ts"',
        "src/sandbox/hosts/memory/memory-host.ts":
          'import "./memory-worker.ts"\nimport "../../operation.ts"',
      }),
    ).toEqual([
      "src/sandbox/hosts/local/local-host.ts:1: host local may not import host memory: src/sandbox/hosts/memory/memory-host.ts",
    ])
  })

  it("lets toolkeep/core import contract, config, policy and runtime, and nothing else", () => {
    const allowed = ["contract", "config", "policy", "runtime"].map(
      (name) => `import "../${name}/index.ts"`,
    )
    expect(problemsOf({ "src/public/core.ts": allowed.join("\n") })).toEqual([])
    expect(
      problemsOf({
        "src/public/core.ts":
          'import "../sandbox/index.ts"\nimport "../runtime/run-call.ts"\nimport "fs"',
      }),
    ).toEqual([
      "src/public/core.ts:1: toolkeep/core may import only contract, config, policy, runtime: src/sandbox/index.ts",
      "src/public/core.ts:2: imports src/runtime/run-call.ts past src/runtime/index.ts",
      "src/public/core.ts:3: imports fs, but toolkeep/core has to run without Node",
    ])
  })

  it("lets only the command line import the conformance suites", () => {
    const source = 'import "../testing/index.ts"'
    expect(problemsOf({ "src/cli/commands/conform.ts": source })).toEqual([])
    expect(problemsOf({ "src/mcp/serve.ts": source })).toEqual([
      "src/mcp/serve.ts:1: mcp (7) may not import testing (10): src/testing/index.ts",
    ])
    expect(problemsOf({ "src/testing/suite.ts": 'import "../cli/index.ts"' })).toEqual([
      "src/testing/suite.ts:1: testing (10) may not import cli (10): src/cli/index.ts",
    ])
  })

  it("catches Node in a folder of toolkeep/core, and allows it in its tests", () => {
    const source = 'const load = () => import("node:fs")'
    expect(problemsOf({ "src/kit/files.ts": source })).toEqual([
      "src/kit/files.ts:1: imports node:fs, but toolkeep/core has to run without Node",
    ])
    expect(problemsOf({ "src/kit/files.test.ts": source })).toEqual([])
    expect(problemsOf({ "src/sandbox/files.ts": source })).toEqual([])
  })

  it("catches a folder without a layer and an import that leaves src", () => {
    expect(
      problemsOf({
        "src/helpers/one.ts": "export const one = 1",
        "src/kit/two.ts": 'import "../helpers/one.ts"',
        "src/kit/three.ts": 'import "../../test/fixtures.ts"',
      }),
    ).toEqual([
      "src/helpers/one.ts:1: is in no folder that has a layer",
      "src/kit/two.ts:1: imports src/helpers/one.ts, which is in no folder that has a layer",
      "src/kit/three.ts:1: imports test/fixtures.ts, which is outside src",
    ])
  })

  it("lets tests beside the code import fixtures of test/support, and refuses them to sources", () => {
    const source = 'import "../../test/support/kit/clock-fixture.ts"'
    expect(problemsOf({ "src/kit/clock.test.ts": source })).toEqual([])
    expect(problemsOf({ "src/kit/clock.ts": source })).toEqual([
      "src/kit/clock.ts:1: imports test/support/kit/clock-fixture.ts, which is outside src",
    ])
    expect(problemsOf({ "src/kit/time.test.ts": 'import "../../test/e2e/run-cli.ts"' })).toEqual([
      "src/kit/time.test.ts:1: imports test/e2e/run-cli.ts, which is outside src",
    ])
  })

  it("catches files that load each other in a circle, and leaves circles of types alone", () => {
    expect(
      problemsOf({
        "src/kit/a.ts": 'import { b } from "./b.ts"',
        "src/kit/b.ts": 'export { c } from "./c.ts"',
        "src/kit/c.ts": 'import { a } from "./a.ts"',
        "src/kit/d.ts": 'import type { E } from "./e.ts"',
        "src/kit/e.ts": 'import { d } from "./d.ts"',
      }),
    ).toEqual([
      "src/kit/a.ts:1: imports itself in a circle: src/kit/a.ts → src/kit/b.ts → src/kit/c.ts → src/kit/a.ts",
    ])
  })

  it("reads no import in a comment or a text", () => {
    const source = '// import "../runtime/index.ts"\nconst text = \'import "../runtime/index.ts"\''
    expect(problemsOf({ "src/policy/judge.ts": source })).toEqual([])
  })
})
