import { describe, expect, it } from "vitest"
import {
  fileTool,
  generations,
  openMcpFixture,
  simpleTool,
} from "../../../../test/support/mcp/mcp-fixture.ts"
import { pixel } from "../../../../test/support/pixel.ts"
import { memoryHost } from "../../../sandbox/index.ts"
import { serverLimits } from "../../limits.ts"
import type { ResultForm } from "./mcp-client.ts"

const [legacy] = generations

async function ask(results: ResultForm | undefined, name: string, input = {}) {
  await using ground = await openMcpFixture({
    ...(results && { results }),
    tools: (session) => [
      fileTool("test.picture", session, [
        { filename: "a.png", mimeType: "image/png", content: pixel },
      ]),
      simpleTool("test.long", () => ({
        lines: Array.from({ length: 900 }, () => "x".repeat(150)),
      })),
    ],
  })
  const client = await ground.connect(legacy)
  const { tools } = await client.listTools()
  const answer = await client.callTool({ name, arguments: input })
  const tool = tools.find((one) => one.name === name)
  const instructions = client.getInstructions()
  await client.close()
  return { answer, tool, instructions }
}

const missing = { path: "a.txt", edits: [{ search: "a", replace: "b" }] }

describe("a result of tools/call", () => {
  it("F20, O1: as text has all of it in the text, and lists no schema of structured content", async () => {
    const { answer, tool } = await ask("text", "shell_exec", {
      command: "echo out; echo err >&2; exit 3",
    })
    expect(answer).toEqual({
      content: [{ type: "text", text: "[stdout]\nout\n[stderr]\nerr\n[exit code 3]" }],
      isError: false,
    })
    expect(tool).not.toHaveProperty("outputSchema")
  })

  it("F20, O8: as text, a failure says its kind and what to do", async () => {
    const { answer } = await ask("text", "file_edit", missing)
    expect(answer.isError).toBe(true)
    expect(answer).not.toHaveProperty("structuredContent")
    expect(answer.content).toEqual([
      { type: "text", text: expect.stringMatching(/^not_found: .*a\.txt/) },
    ])
  })

  it("F20, O1: as structured content is the envelope, also in a text for clients that know only that", async () => {
    const { answer, tool } = await ask("structured", "file_edit", missing)
    const envelope = answer.structuredContent
    expect(envelope).toMatchObject({ ok: false, kind: "not_found", tool: "file_edit" })
    expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(envelope) }])
    expect(tool).toHaveProperty("outputSchema")
  })

  it("O22: has images beside the text, and nowhere a path of this machine", async () => {
    for (const results of ["text", "structured", "both"] as const) {
      const { answer } = await ask(results, "test_picture")
      expect(answer.content).toMatchObject([{ type: "text" }, { type: "image" }])
      expect(JSON.stringify(answer)).not.toContain("toolkeep-mcp-")
    }
  })

  it("O34: is of a size that clients show whole, and says so when it lists the tool", async () => {
    const { answer, tool } = await ask("text", "test_long")
    const [block] = answer.content as { text: string }[]
    expect(block?.text).toMatch(/\[\.\.\. \d+ bytes left out \.\.\.\]/)
    expect(block?.text.length).toBeLessThanOrEqual(serverLimits.shownBytes + 100)
    expect(tool?._meta).toEqual({
      "anthropic/maxResultSizeChars": serverLimits.listedCharacters,
    })
  })
})

it("F1: the instructions say what commands reach, whose files they see and which programs there are", async () => {
  const { instructions } = await ask("text", "system_info")
  expect(instructions).toBe(
    "Commands and files are in a sandbox. No network. None of your project's files. " +
      `A virtual bash, which lacks ${memoryHost().can.shell?.lacks.join("; ")}. Paths start in /home/user; relative ones are the safest. ` +
      "The message of a failure says what to do next. Where tools_search is listed, it finds tools that are not.",
  )
})
