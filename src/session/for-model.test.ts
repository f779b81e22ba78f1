import { describe, expect, it } from "vitest"
import { openToolkeep } from "./open-toolkeep.ts"

const missing = { path: "report.pdf" }

describe("the names of tools in an answer", () => {
  it("R3: are canonical for a program, and those of the list for a model's API", async () => {
    await using keep = await openToolkeep({ host: "memory" })
    const session = keep.session()
    expect(await session.call("artifact.share", missing)).toMatchObject({
      tool: "artifact.share",
      message: expect.stringContaining("Find it with file.glob, "),
    })
    const call = { id: "1", name: "artifact_share", input: missing }
    const { content } = await session.answer({ for: "anthropic", call })
    expect(JSON.stringify(content)).toContain("Find it with file_glob, ")
    const unknown = { name: "artifact_shore", arguments: missing }
    const answer = await session.answer({ for: "mcp", call: unknown })
    expect(JSON.stringify(answer)).toContain("artifact_share")
    expect(JSON.stringify(answer)).not.toContain("artifact.share")
    const tools = session.tools({ for: "ai-sdk" })
    expect(await tools.artifact_share?.execute(missing, { toolCallId: "2" })).toMatchObject({
      tool: "artifact_share",
      message: expect.stringContaining("Find it with file_glob, "),
    })
  })

  it("R3, X1: are the dialect's in a dialect", async () => {
    await using keep = await openToolkeep({ host: "memory", dialect: "osaurus" })
    const session = keep.session()
    const call = { id: "1", name: "share_artifact", input: missing }
    const { content } = await session.answer({ for: "anthropic", call })
    expect(JSON.stringify(content)).toContain("Find it with sandbox_search_files, ")
  })

  it("O22: a model's API is not told where a file for the person is, and a program is", async () => {
    await using keep = await openToolkeep({ host: "memory" })
    const session = keep.session()
    const input = { content: "# Notes\n", filename: "notes.md" }
    const answer = await session.call("artifact.share", input)
    const path = answer.ok ? answer.result.artifact.path : ""
    expect(path).toContain("notes.md")
    const call = { id: "1", name: "artifact_share", input }
    const { content } = await session.answer({ for: "anthropic", call })
    expect(JSON.stringify(content)).not.toContain(path.slice(0, path.indexOf("artifacts")))
  })
})
