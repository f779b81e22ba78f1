import { describe, expect, it } from "vitest"
import { failure, success } from "../envelope/envelope.ts"
import { defineTool } from "../tool/define-tool.ts"
import { createForModel } from "./for-model.ts"

const names = ["process.kill", "file.read", "mcp:shop:buy"]
const forModel = createForModel((name) => names.includes(name))

const artifact = { id: "artifact_1", filename: "a.png", mime_type: "image/png", size: 9 }
const here = { ...artifact, path: "/home/ada/.toolkeep/a.png" }

describe("what a model reads", () => {
  it("R3: calls tools as its list does, in messages, expectations and warnings", () => {
    const failed = failure("process.kill", {
      kind: "not_found",
      message: 'End it with process.kill. Did you mean "file.read"? Or mcp:shop:buy: it sells.',
      expected: "a pid, as file.read shows it",
    })
    expect(forModel.envelope(failed)).toEqual({
      ...failed,
      message: 'End it with process_kill. Did you mean "file_read"? Or mcp_shop_buy: it sells.',
      expected: "a pid, as file_read shows it",
      tool: "process_kill",
    })
    const warned = success("file.read", { text: "file.read" }, ["Use file.read."])
    expect(forModel.envelope(warned)).toEqual({
      ...{ ok: true, tool: "file_read", result: { text: "file.read" } },
      warnings: ["Use file_read."],
    })
  })

  it("R3: leaves alone what only looks like a tool's name", () => {
    const message = "src/file.read, file.read.ts, my-file.read, file.reader, ./file.read and a.b"
    const failed = failure("x", { kind: "not_found", message })
    expect(forModel.envelope(failed)).toEqual(failed)
  })

  it("R3, O21: reads a tool's descriptions so, at any depth, and its values as they are", () => {
    const text = {
      type: "string",
      description: "As file.read says.",
      default: "file.read",
    } as const
    const tool = defineTool({
      name: "own.tool",
      description: "After process.kill.",
      input: {
        type: "object",
        properties: {
          a: { type: "array", items: text, description: "Of file.read." },
          description: text,
        },
        additionalProperties: false,
      },
      run: () => null,
    })
    const read = forModel.tool(tool)
    expect(read.description).toBe("After process_kill.")
    const told = { ...text, description: "As file_read says." }
    expect(read.inputSchema.properties).toEqual({
      a: { type: "array", items: told, description: "Of file_read." },
      description: told,
    })
    expect(forModel.tool(tool)).toBe(read)
  })

  it("O22: is not told where on this machine a file for the person is", () => {
    const result = { kind: "page", artifact: here, downloads: [here], other: { path: "src/a" } }
    expect(forModel.envelope(success("file.read", result))).toMatchObject({
      result: { kind: "page", artifact, downloads: [artifact], other: { path: "src/a" } },
    })
    expect(JSON.stringify(forModel.envelope(success("x", [{ file: here }])))).not.toContain("/home")
    const plain = { entries: [{ path: "a" }] }
    expect(forModel.envelope(success("x", plain))).toHaveProperty("result", plain)
  })

  it("O22: nor does the schema of the result promise it", () => {
    const text = { type: "string" } as const
    const tool = defineTool({
      name: "own.tool",
      description: "Makes a file.",
      input: { type: "object", properties: {}, additionalProperties: false },
      output: {
        type: "object",
        properties: {
          artifact: {
            type: "object",
            properties: { id: text, filename: text, path: text },
            required: ["id", "filename", "path"],
            additionalProperties: false,
          },
        },
      },
      run: () => ({ artifact: { id: "artifact_1", filename: "a", path: "/a" } }),
    })
    expect(forModel.tool(tool).outputSchema?.properties?.artifact).toEqual({
      type: "object",
      properties: { id: text, filename: text },
      required: ["id", "filename"],
      additionalProperties: false,
    })
  })
})
