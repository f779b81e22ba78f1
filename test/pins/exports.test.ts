import { describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { readRepositoryFile } from "../../scripts/repository.ts"
import { version } from "../../src/session/index.ts"
import { exportedNames } from "./exported-names.ts"

it("the package's entries", () => {
  expect(manifest.exports).toEqual({
    ".": { types: "./dist/public/toolkeep.d.ts", default: "./dist/public/toolkeep.js" },
    "./core": { types: "./dist/public/core.d.ts", default: "./dist/public/core.js" },
    "./sandbox": { types: "./dist/public/sandbox.d.ts", default: "./dist/public/sandbox.js" },
    "./agent": { types: "./dist/public/agent.d.ts", default: "./dist/public/agent.js" },
    "./reactive": { types: "./dist/public/reactive.d.ts", default: "./dist/public/reactive.js" },
    "./reactive/jsx-runtime": {
      types: "./dist/public/reactive/jsx-runtime.d.ts",
      default: "./dist/public/reactive/jsx-runtime.js",
    },
    "./reactive/vite": {
      types: "./dist/public/reactive/vite.d.ts",
      default: "./dist/public/reactive/vite.js",
    },
    "./mcp": { types: "./dist/public/mcp.d.ts", default: "./dist/public/mcp.js" },
    "./client": { types: "./dist/public/client.d.ts", default: "./dist/public/client.js" },
    "./dialects": { types: "./dist/public/dialects.d.ts", default: "./dist/public/dialects.js" },
    "./testing": { types: "./dist/public/testing.d.ts", default: "./dist/public/testing.js" },
    "./compat": { types: "./dist/public/compat.d.ts", default: "./dist/public/compat.js" },
  })
  expect(manifest.bin).toEqual({ toolkeep: "./dist/cli/main.js" })
  expect(manifest.engines).toEqual({ node: "^22.13.0 || >=23.4.0" })
})

it("the version that the code knows is the package's", () => {
  expect(version).toBe(manifest.version)
})

/** What each entry exports; a type is marked as one. */
const exported: Readonly<Record<string, readonly string[]>> = {
  toolkeep: [
    "DefinitionError",
    "ToolFailure",
    "defineTool",
    "openToolkeep",
    "type ApprovalAnswer",
    "type ApprovalRequest",
    "type Approver",
    "type Artifact",
    "type CallContext",
    "type CallOptions",
    "type Capabilities",
    "type Envelope",
    "type ExecOptions",
    "type ExecResult",
    "type Failure",
    "type FailureDetails",
    "type FailureKind",
    "type JsonSchema",
    "type Network",
    "type PolicyConfig",
    "type ResultView",
    "type RunningCall",
    "type Session",
    "type SessionEvent",
    "type SessionOptions",
    "type Success",
    "type Tool",
    "type ToolDefinition",
    "type Toolkeep",
    "type ToolkeepOptions",
    "type Workspace",
  ],
  core: [
    "DefinitionError",
    "ToolFailure",
    "ToolRegistry",
    "classifyResult",
    "collapseListing",
    "createPolicy",
    "createRuntime",
    "defineTool",
    "failureKinds",
    "limits",
    "listingResult",
    "parsePolicyYaml",
    "renderEnvelope",
    "renderTools",
    "textResult",
    "type CallRequest",
    "type EnvelopeFormat",
    "type Explanation",
    "type Policy",
    "type RenderedEnvelopes",
    "type RenderedTools",
    "type ResultClass",
    "type Runtime",
    "type RuntimeOptions",
    "type ToolFormat",
    "type Verdict",
  ],
  sandbox: [
    "WorkspaceError",
    "adaptHost",
    "bubblewrapHost",
    "dockerHost",
    "filesOf",
    "localHost",
    "memoryHost",
    "type AdaptedHost",
    "type BubblewrapHostOptions",
    "type DockerHostOptions",
    "type Host",
    "type HostStatus",
    "type LocalHostOptions",
    "type MemoryHostOptions",
    "type Operation",
    "type OperationControl",
    "type OperationResults",
    "type Sandbox",
    "type SandboxApi",
    "type SandboxSpec",
    "type WorkspaceFiles",
  ],
  mcp: [
    "bridgeServers",
    "serveHttp",
    "serveStdio",
    "type HttpOptions",
    "type HttpServer",
    "type StdioOptions",
  ],
  client: ["ApiError", "createClient", "type ApiClient"],
  dialects: ["parseDialectYaml", "type DialectTable"],
  agent: ["createAgent", "type Agent", "type AgentOptions"],
  reactive: [
    "NAME",
    "UI",
    "Writable",
    "computed",
    "createUsePattern",
    "exec",
    "fetchData",
    "generateText",
    "handler",
    "lift",
    "pattern",
    "patternTool",
    "readSandboxFile",
    "run",
    "sandbox",
    "sh",
    "type Async",
    "type AsyncExec",
    "type ExecResult",
    "type Handler",
    "type Input",
    "type Pattern",
    "type Ref",
    "type RunOptions",
    "type Running",
    "type SandboxHandle",
    "type StepFailure",
    "type View",
    "writeSandboxFile",
  ],
  "reactive/jsx-runtime": ["Fragment", "jsx", "jsxs", "type JSX"],
  "reactive/vite": ["patternPlugin"],
  testing: [
    "conformanceChecks",
    "recordChecks",
    "replaySession",
    "runConformance",
    "type ConformanceCheck",
    "type ConformanceOptions",
    "type ConformanceReport",
    "type ConformanceResult",
    "type RecordStore",
  ],
  compat: [
    "createDispatch",
    "createStream",
    "failureMessage",
    "isError",
    "isSuccess",
    "optionalString",
    "readMarkers",
    "requireInteger",
    "requireObject",
    "requirePath",
    "requireString",
    "requireStringArray",
    "successPayload",
    "type Dispatch",
    "type Payload",
    "type PayloadResults",
    "type PayloadStream",
    "type StreamEvent",
    "type ToolObject",
    "type ToolResult",
  ],
}

describe("the names that a program can import", () => {
  it.each(Object.entries(exported))("from %s", async (entry, names) => {
    expect(await exportedNames(`src/public/${entry}.ts`)).toEqual(names)
  })

  /** How many values and types these entries have together. */
  const countNames = (entries: Readonly<Record<string, readonly string[]>>) => {
    const all = new Set(Object.values(entries).flat())
    const types = [...all].filter((name) => name.startsWith("type ")).length
    return { values: all.size - types, types }
  }
  const { client: _, reactive = [], "reactive/jsx-runtime": __, ...others } = exported
  const { "reactive/vite": vite = [], ...inProcess } = others

  it("are at most 45 values and 70 types, beside those of a client that has nothing else of Toolkeep", () => {
    const { values, types } = countNames(inProcess)
    expect(values).toBeLessThanOrEqual(45)
    expect(types).toBeLessThanOrEqual(70)
  })

  it("are at most 18 values and 15 types for patterns, which are counted apart (decision 27)", () => {
    const { values, types } = countNames({ reactive, vite })
    expect(values).toBeLessThanOrEqual(18)
    expect(types).toBeLessThanOrEqual(15)
  })

  it.each(Object.entries(exported))(
    "from %s are each described in docs/exports.md",
    async (entry, names) => {
      const page = await readRepositoryFile("docs/exports.md")
      const heading = entry === "toolkeep" ? "toolkeep" : `toolkeep/${entry}`
      const section = page.split("\n## ").find((part) => part.startsWith(`\`${heading}\`\n`)) ?? ""
      const described = new Set([...section.matchAll(/`(\w+)`/g)].map(([, name]) => name))
      const all = names.map((name) => name.replace(/^type /, ""))
      expect(all.filter((name) => !described.has(name))).toEqual([])
    },
  )
})
