import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { limits } from "../../../contract/index.ts"
import { base64Bytes, rangeBytes } from "./read-contents.ts"

describe.each(benches)("file.read on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  async function made(path: string, content: string | Uint8Array): Promise<string> {
    await bench.workspace.writeFile(path, content)
    return path
  }
  const read = (input: unknown) => bench.call("file.read", input)
  const ok = (result: unknown, warnings?: readonly string[]) => ({
    ok: true,
    tool: "file.read",
    result,
    ...(warnings && { warnings }),
  })

  it("F3.file, O5.text, O5.metadata: a file answers with its text and where it lies in lines and bytes", async () => {
    const path = await made("whole.txt", "\uFEFFone\r\ntwo é\nthree")
    expect(await read({ path })).toEqual(
      ok({
        kind: "file",
        path,
        encoding: "utf8",
        text: "\uFEFFone\r\ntwo é\nthree",
        size: 20,
        offset: 0,
        bytes: 20,
        start_line: 1,
        end_line: 3,
        total_lines: 3,
        truncated: false,
      }),
    )
  })

  it("F3.directory, O4.fields, O4.next: a directory answers as a listing whose paths are ready for the next call", async () => {
    await made("dir/-dash\nand line", "1")
    await made("dir/sub/x", "2")
    const listing = await read({ path: "./dir/" })
    expect(listing).toEqual(
      ok({
        kind: "listing",
        path: "./dir/",
        entries: [
          { name: "-dash\nand line", path: "dir/-dash\nand line", type: "file" },
          { name: "sub", path: "dir/sub", type: "directory" },
        ],
        entry_count: 2,
        truncated: false,
      }),
    )
    expect(await read({ path: "dir/-dash\nand line" })).toMatchObject({ result: { text: "1" } })
  })

  it("O5: a range of lines comes with its numbers and says where to go on", async () => {
    const path = await made("lines.txt", "1\n2\n3\n4\n5\n")
    expect(await read({ path, start_line: 2, line_count: 2 })).toEqual(
      ok({
        kind: "file",
        path,
        encoding: "utf8",
        text: "2\n3\n",
        size: 10,
        offset: 2,
        bytes: 4,
        start_line: 2,
        end_line: 3,
        truncated: false,
        next_offset: 6,
        next_start_line: 4,
      }),
    )
    expect(await read({ path, start_line: 5 })).toMatchObject({
      result: { text: "5\n", start_line: 5, end_line: 5, total_lines: 5, truncated: false },
    })
  })

  it("O5: reading on from next_start_line or next_offset gives the whole file, whatever its lines", async () => {
    const text = Array.from(
      { length: 9_000 },
      (_, line) => `line ${line} é😀 ${"x".repeat(line % 60)}`,
    )
      .join("\n")
      .concat("y".repeat(limits.textBytes + 10), "\nend")
    const path = await made("long.txt", text)
    for (const next of ["next_start_line", "next_offset"] as const) {
      let whole = ""
      let range: object = {}
      for (let piece = 0; piece < 100; piece += 1) {
        const answer = await read({ path, ...range })
        const result = resultOf(answer, "file")
        whole += result.text
        if (result.next_offset === undefined) break
        expect(result.truncated).toBe(true)
        range =
          next === "next_start_line" && result.next_start_line !== undefined
            ? { start_line: result.next_start_line }
            : { offset: result.next_offset }
      }
      expect(whole === text).toBe(true)
    }
  })

  it("O5: a byte range never splits a character and reports where it really starts", async () => {
    const path = await made("wide.txt", "aé😀z")
    expect(await read({ path, offset: 2, limit: 4 })).toEqual(
      ok({
        kind: "file",
        path,
        encoding: "utf8",
        text: "😀",
        size: 8,
        offset: 3,
        bytes: 4,
        truncated: false,
        next_offset: 7,
      }),
    )
    expect(await read({ path, offset: 3, limit: 1 })).toMatchObject({
      result: { text: "😀", offset: 3, bytes: 4, next_offset: 7 },
    })
    expect(await read({ path, limit: 2 })).toMatchObject({
      result: { text: "aé", bytes: 3, start_line: 1, end_line: 1, next_offset: 3 },
    })
  })

  it("C3: found defect: ranges side by side lose no byte, wherever their borders are", async () => {
    const text = "aé😀z\u0301ñ\n😀é"
    const path = await made("steps.txt", text)
    const size = Buffer.byteLength(text)
    for (let step = 1; step <= size; step += 1) {
      let whole = ""
      for (let offset = 0; offset < size; offset += step) {
        whole += resultOf(await read({ path, offset, limit: step }), "file").text
      }
      expect([step, whole]).toEqual([step, text])
    }
  })

  it("O5: base64 gives any bytes, in pieces", async () => {
    const bytes = Uint8Array.from(
      { length: base64Bytes(limits.textBytes) + 3 },
      (_, at) => at % 256,
    )
    const path = await made("bytes.bin", bytes)
    const first = await read({ path, encoding: "base64" })
    expect(first).toEqual(
      ok({
        kind: "file",
        path,
        encoding: "base64",
        base64: Buffer.from(bytes.subarray(0, base64Bytes(limits.textBytes))).toString("base64"),
        size: bytes.length,
        offset: 0,
        bytes: base64Bytes(limits.textBytes),
        truncated: true,
        next_offset: base64Bytes(limits.textBytes),
      }),
    )
    const offset = base64Bytes(limits.textBytes)
    expect(await read({ path, encoding: "base64", offset })).toMatchObject({
      result: { base64: Buffer.from(bytes.subarray(offset)).toString("base64"), truncated: false },
    })
    expect(await read({ path, encoding: "base64", offset: 1, limit: 2 })).toMatchObject({
      result: { base64: "AQI=", bytes: 2, truncated: false, next_offset: 3 },
    })
  })

  it.each([
    ["a NUL", Uint8Array.of(0x61, 0x00, 0x62)],
    ["no UTF-8", Uint8Array.of(0x61, 0xff, 0x62)],
    ["half a character at its end", Uint8Array.of(0x61, 0xe2, 0x82)],
  ])(
    "O5, O8: a file with %s is refused as text, with the encoding to use",
    async (_what, bytes) => {
      const path = await made("binary", bytes)
      expect(await read({ path })).toEqual({
        ok: false,
        kind: "invalid_args",
        message: '"binary" is not UTF-8 text here; read it with encoding "base64".',
        field: "encoding",
        expected: '"base64" for a file that is not UTF-8 text',
        tool: "file.read",
        retryable: true,
      })
    },
  )

  it("O5: an empty file has no lines, and that is no failure", async () => {
    const path = await made("empty", "")
    const nothing = { kind: "file", path, encoding: "utf8", text: "", size: 0, offset: 0, bytes: 0 }
    expect(await read({ path })).toEqual(ok({ ...nothing, total_lines: 0, truncated: false }))
  })

  it("O5: a range past the end answers with nothing, and with how much there is", async () => {
    const path = await made("short.txt", "one\ntwo")
    const nothing = { kind: "file", path, encoding: "utf8", text: "", size: 7, bytes: 0 }
    expect(await read({ path, start_line: 3 })).toEqual(
      ok({ ...nothing, offset: 7, total_lines: 2, truncated: false }, [
        "Line 3 is past the end: the file has 2 lines.",
      ]),
    )
    expect(await read({ path, offset: 100 })).toEqual(
      ok({ ...nothing, offset: 100, truncated: false }, [
        "Byte 100 is past the end: the file has 7 bytes.",
      ]),
    )
    expect(await read({ path, offset: 100, encoding: "base64" })).toMatchObject({
      result: { base64: "", bytes: 0, truncated: false },
      warnings: ["Byte 100 is past the end: the file has 7 bytes."],
    })
  })

  it("O10.file: a missing file or directory is not_found", async () => {
    for (const path of ["nowhere", "nowhere/deep.txt"]) {
      expect(await read({ path })).toMatchObject({ ok: false, kind: "not_found", retryable: false })
    }
  })

  it.each([
    [{ path: "a", offset: 0, start_line: 1 }, "start_line"],
    [{ path: "a", limit: 5, line_count: 1 }, "line_count"],
    [{ path: "a", encoding: "base64", start_line: 1 }, "start_line"],
    [{ path: "../../../../../../../../etc/passwd" }, "path"],
    [{ path: "/etc/passwd" }, "path"],
    [{ path: "a\0b" }, "path"],
    [{ path: "a\ud800" }, "path"],
    [{ path: "x".repeat(5_000) }, "path"],
    [{ path: "a", start_line: 0 }, "start_line"],
    [{ path: "a", limit: rangeBytes(limits.textBytes) + 1 }, "limit"],
  ])("O8, O13: %j is refused and the field is named", async (input, field) => {
    expect(await read(input)).toMatchObject({ ok: false, kind: "invalid_args", field })
  })

  it("F10: a call that was given up reads nothing", async () => {
    const path = await made("given-up.txt", "x")
    const signal = AbortSignal.abort(new Error("given up"))
    await expect(bench.call("file.read", { path }, { signal })).rejects.toThrow("given up")
  })
})
