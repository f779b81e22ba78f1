import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest"
import { defineTool, type Envelope } from "../../contract/index.ts"
import { createRuntime, ToolRegistry } from "../../runtime/index.ts"
import { openToolkeep } from "../open-toolkeep.ts"

// The document's own types, which know nothing of Toolkeep.
interface JSONSchema {
  type: "object" | "array" | "string" | "number" | "boolean"
  properties?: Record<string, JSONSchema>
  required?: string[]
  additionalProperties?: boolean
  description?: string
  enum?: unknown[]
  items?: JSONSchema
}
interface ToolResult {
  success: boolean
  output: string
  error?: string
}
interface Tool {
  name: string
  description: string
  inputSchema: JSONSchema
  execute: (args: unknown) => Promise<ToolResult>
}

const gitStatusTool: Tool = {
  name: "git.status",
  description: "Get the status of a Git repository",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path to the repository (default: current directory)" },
    },
    required: [],
  },
  execute: async (rawArgs) => {
    const { path } = rawArgs as { path?: string }
    try {
      const output = await new Promise<string>((resolve, reject) => {
        const options = { cwd: path || process.cwd() }
        execFile("git", ["status", "--short"], options, (error, stdout) => {
          if (error) reject(error)
          else resolve(stdout)
        })
      })
      return { success: true, output: output || "No changes" }
    } catch (error) {
      const reason = error instanceof Error ? `Git status failed: ${error.message}` : String(error)
      return { success: false, output: "", error: reason }
    }
  },
}

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-object-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function repository(): Promise<string> {
  const directory = await emptyDirectory()
  await promisify(execFile)("git", ["init", "-q", directory])
  return directory
}

describe("the document's git.status", () => {
  it("Y1, Y17.status, Y17.failure, X3.direct: is called directly in a test, as it was written and as it was defined", async () => {
    const path = await emptyDirectory()
    const clean = await repository()
    for (const tool of [gitStatusTool, defineTool(gitStatusTool)]) {
      expect((await tool.execute({})).output).toBeDefined()
      expect(await tool.execute({ path: clean })).toEqual({ success: true, output: "No changes" })
      const failed = await tool.execute({ path })
      expect(failed.success).toBe(false)
      expect(failed.error).toContain("Git status failed")
    }
  })

  it("Y1, Y2, Y17.status, Y17.failure, X3.defined: answers with an envelope where it is given to a session, in each way", async () => {
    const path = await emptyDirectory()
    const failed = {
      ok: false,
      kind: "execution_error",
      message: expect.stringMatching(/^Git status failed: .*not a git repository/s),
      tool: "git.status",
      retryable: true,
    }
    await using keep = await openToolkeep({ host: "memory", tools: [gitStatusTool] })
    const session = keep.session()
    expect(await session.call("git.status", { path: await repository() })).toEqual({
      ok: true,
      tool: "git.status",
      result: { text: "No changes" },
    })
    expect(await session.call("git.status", { path })).toEqual(failed)

    await using plain = await openToolkeep({ host: "memory" })
    const remove = plain.session().addTools([gitStatusTool])
    expect(await plain.session().start("git.status", { path }).envelope).toEqual(failed)
    remove()
    expect(await plain.session().start("git.status", { path }).envelope).toMatchObject({
      kind: "tool_not_found",
    })
    const runtime = createRuntime({ tools: [gitStatusTool] })
    expect(await runtime.call({ tool: "git.status", input: { path } })).toEqual(failed)

    const registry = new ToolRegistry()
    registry.register(gitStatusTool)
    expect(registry.get("git.status")?.title).toBe("Git status")
    expect(() => registry.register(gitStatusTool)).toThrow('There is already a tool "git.status".')
  })

  it("X3, Y2: in the document's own words, its answer is its ToolResult", async () => {
    await using keep = await openToolkeep({
      ...{ host: "memory", dialect: "flynn" },
      tools: [{ ...gitStatusTool, execute: async () => ({ success: true, output: "?? a\n" }) }],
    })
    const session = keep.session()
    const envelope = await session.start("git.status", {}).envelope
    expect(session.render(envelope)).toEqual({ success: true, output: "?? a\n" })
  })

  it("X3, F1: its open schema is closed: unknown arguments are refused", async () => {
    const runtime = createRuntime({ tools: [gitStatusTool] })
    expect(await runtime.call({ tool: "git.status", input: { pth: "." } })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: 'Unknown argument "pth"; did you mean "path"?',
    })
  })
})

describe("the types of such a tool", () => {
  it("Y1, X3: are those of its name, its text and its own execute", async () => {
    const greet = defineTool({
      name: "demo.greet",
      description: "Greets.",
      inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      execute: async ({ name }: { name: string }) => ({ success: true, output: `Hello ${name}` }),
    })
    expectTypeOf(greet.name).toEqualTypeOf<"demo.greet">()
    expectTypeOf(greet.execute).parameter(0).toEqualTypeOf<{ name: string }>()
    await using keep = await openToolkeep({ host: "memory", tools: [greet] })
    const answer = await keep.session().call("demo.greet", { name: "Ada" })
    expectTypeOf(answer).toEqualTypeOf<Envelope<{ readonly text: string }>>()
    expect(answer).toMatchObject({ result: { text: "Hello Ada" } })
    const wrong = () => {
      // @ts-expect-error: no description
      defineTool({
        name: "a",
        inputSchema: {},
        execute: async () => ({ success: true, output: "" }),
      })
      // @ts-expect-error: what it returns is not a ToolResult
      defineTool({ name: "a", description: "A.", inputSchema: {}, execute: async () => 5 })
    }
    expectTypeOf(wrong).toBeFunction()
  })
})
