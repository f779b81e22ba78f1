import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"

describe.each(benches)("file.write on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const write = (input: unknown) => bench.call("file.write", input)
  const ok = (result: unknown) => ({ ok: true, tool: "file.write", result })

  it("F4: writes the text as it is, makes missing directories, and says what it did", async () => {
    const path = "new/deep/./../file.txt"
    const content = "\uFEFFé😀\r\n"
    expect(await write({ path, content })).toEqual(
      ok({ kind: "write", path, bytes_written: 11, size: 11, created: true }),
    )
    expect(Buffer.from(await bench.workspace.readFileBuffer("new/file.txt")).toString()).toBe(
      content,
    )
    expect(await write({ path: "new/file.txt", content: "" })).toEqual(
      ok({ kind: "write", path: "new/file.txt", bytes_written: 0, size: 0, created: false }),
    )
    expect(await bench.workspace.readFile("new/file.txt")).toBe("")
  })

  it("F4: appends without reading, and counts the whole size", async () => {
    const path = "log.txt"
    expect(await write({ path, content: "one\n", append: true })).toEqual(
      ok({ kind: "write", path, bytes_written: 4, size: 4, created: true }),
    )
    expect(await write({ path, content: "  ", append: true })).toEqual(
      ok({ kind: "write", path, bytes_written: 2, size: 6, created: false }),
    )
    expect(await bench.workspace.readFile(path)).toBe("one\n  ")
  })

  it("F1: the mode is offered only where files keep one, and then it is kept", async () => {
    const { can } = bench.workspace
    const schema = bench.tools.find((tool) => tool.name === "file.write")?.inputSchema
    expect(Object.hasOwn(schema?.properties ?? {}, "mode")).toBe(can.fileModes)
    if (!can.fileModes) return
    await write({ path: "run.sh", content: "echo ran", mode: "755" })
    expect((await bench.workspace.stat("run.sh")).mode & 0o777).toBe(0o755)
    expect(await write({ path: "x", content: "", mode: "4755" })).toMatchObject({ field: "mode" })
  })

  it("O8: text with half of a surrogate pair is refused, and nothing is written", async () => {
    expect(await write({ path: "half.txt", content: "a\ud83d" })).toEqual({
      ok: false,
      kind: "invalid_args",
      message: '"content" contains half of a surrogate pair, which a UTF-8 file can\'t hold.',
      field: "content",
      expected: "well-formed Unicode text",
      tool: "file.write",
      retryable: true,
    })
    expect(await bench.workspace.exists("half.txt")).toBe(false)
  })

  it("O8: a directory, and a file used as a directory, are refused", async () => {
    await write({ path: "d/file", content: "kept" })
    expect(await write({ path: "d", content: "x" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: expect.stringContaining("is a directory, not a file"),
    })
    expect(await write({ path: "d/file/below", content: "x" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: expect.stringContaining("is not a directory"),
    })
    expect(await bench.workspace.readFile("d/file")).toBe("kept")
  })

  it("O13: a path outside of the workspace is refused", async () => {
    for (const path of ["/outside.txt", "../outside.txt", "/etc/../outside.txt"]) {
      expect(await write({ path, content: "x" })).toMatchObject({
        ok: false,
        kind: "invalid_args",
        field: "path",
      })
    }
  })
})
