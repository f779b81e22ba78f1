import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, callTool, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { fileLimits } from "../../limits.ts"

describe.each(benches)("file.edit on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const edit = (path: string, ...edits: readonly object[]) =>
    bench.call("file.edit", { path, edits })
  const text = async (path: string) =>
    Buffer.from(await bench.workspace.readFileBuffer(path)).toString()

  it("F5: replaces exact text, keeps line ends and byte order mark, and answers with a diff", async () => {
    const path = "a.txt"
    await bench.workspace.writeFile(path, "\uFEFFone\r\ntwo\r\nthree")
    const edits = [
      { search: "two\r\n", replace: "$& 2\r\n" },
      { search: "three", replace: "" },
    ]
    expect(await edit(path, ...edits)).toEqual({
      ok: true,
      tool: "file.edit",
      result: {
        kind: "edit",
        path,
        replacements: 2,
        diff: [
          "--- a.txt\n+++ a.txt\n@@ -1,3 +1,2 @@\n",
          " \uFEFFone\r\n-two\r\n-three\n\\ No newline at end of file\n+$& 2\r\n",
        ].join(""),
      },
    })
    expect(await text(path)).toBe("\uFEFFone\r\n$& 2\r\n")
  })

  it("F5: nothing is written when one of the edits can't be applied", async () => {
    await bench.workspace.writeFile("all-or-none.txt", "one two")
    const answer = await edit(
      "all-or-none.txt",
      { search: "one", replace: "1" },
      { search: "three", replace: "3" },
    )
    expect(answer).toMatchObject({ ok: false, kind: "invalid_args", field: "edits[1].search" })
    expect(await text("all-or-none.txt")).toBe("one two")
  })

  it("O15, O18: an empty search and an unknown key are refused with the field's path", async () => {
    await bench.workspace.writeFile("b.txt", "b")
    expect(await edit("b.txt", { search: "", replace: "x" })).toMatchObject({
      kind: "invalid_args",
      field: "edits[0].search",
    })
    expect(await edit("b.txt", { search: "b", replace: "x", al: true })).toMatchObject({
      kind: "invalid_args",
      field: "edits[0].al",
    })
    expect(await bench.call("file.edit", { path: "b.txt", edits: [] })).toMatchObject({
      kind: "invalid_args",
      field: "edits",
    })
  })

  it("F5: what no text file holds is refused, in the file and in the edit", async () => {
    await bench.workspace.writeFile("binary", Uint8Array.of(0x61, 0))
    expect(await edit("binary", { search: "a", replace: "b" })).toMatchObject({
      kind: "invalid_args",
      field: "path",
    })
    await bench.workspace.writeFile("smile.txt", "😀")
    expect(await edit("smile.txt", { search: "😀", replace: "\ud83d" })).toMatchObject({
      kind: "invalid_args",
      field: "edits[0].replace",
    })
    expect(await edit("smile.txt", { search: "\ud83d", replace: "x" })).toMatchObject({
      kind: "invalid_args",
    })
    expect(await text("smile.txt")).toBe("😀")
  })

  it("F5: a file that changes during the edit is left as it is", async () => {
    await bench.workspace.writeFile("busy.txt", "one")
    let reads = 0
    const workspace = {
      ...bench.workspace,
      async readFileBuffer(...parameters: Parameters<typeof bench.workspace.readFileBuffer>) {
        reads += 1
        if (reads === 2) await bench.workspace.writeFile("busy.txt", "one, by another")
        return bench.workspace.readFileBuffer(...parameters)
      },
    }
    const input = { path: "busy.txt", edits: [{ search: "one", replace: "1" }] }
    expect(
      await callTool({ tools: bench.tools, workspace: async () => workspace }, "file.edit", input),
    ).toEqual({
      ok: false,
      kind: "execution_error",
      message:
        '"busy.txt" was changed by something else during this edit. Read it again, then edit.',
      tool: "file.edit",
      retryable: true,
    })
    expect(await text("busy.txt")).toBe("one, by another")
  })

  it("O10: a missing file is not_found, a directory is refused", async () => {
    expect(await edit("nowhere", { search: "a", replace: "b" })).toMatchObject({
      kind: "not_found",
    })
    await bench.workspace.writeFile("folder/x", "")
    expect(await edit("folder", { search: "a", replace: "b" })).toMatchObject({
      kind: "invalid_args",
      message: expect.stringContaining("is a directory"),
    })
  })

  it("F5: a file too large to edit in memory is refused before it is read", async () => {
    const size = fileLimits.editBytes + 1
    await bench.workspace.writeFile("huge.txt", new Uint8Array(size).fill(0x61))
    expect(await edit("huge.txt", { search: "a", replace: "b" })).toMatchObject({
      kind: "invalid_args",
      field: "path",
      message: `"huge.txt" has ${size} bytes; at most ${fileLimits.editBytes} can be edited. Use a command such as sed.`,
    })
  })

  it("O34: a diff of very many lines is left out, with a warning, and the edit is made", async () => {
    await bench.workspace.writeFile("many.txt", "old\n".repeat(5_000))
    expect(await edit("many.txt", { search: "old", replace: "new", all: true })).toEqual({
      ok: true,
      tool: "file.edit",
      result: { kind: "edit", path: "many.txt", replacements: 5_000 },
      warnings: ["Too many lines changed to show a diff."],
    })
    expect(await text("many.txt")).toBe("new\n".repeat(5_000))
  })
})
