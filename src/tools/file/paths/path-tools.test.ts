import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { guessContent } from "./info-tool.ts"

describe.each(benches)("file.info, file.move and file.remove on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    await bench.workspace.writeFile("dir/a.json", '{"a": 1}\n')
    await bench.workspace.writeFile("picture.txt", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"))
    await bench.workspace.exec("ln -s a.json dir/link; ln -s nowhere broken; ln -s loop loop")
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const info = (path: string) => bench.call("file.info", { path })
  const move = (input: object) => bench.call("file.move", input)
  const remove = (input: object) => bench.call("file.remove", input)
  const there = async (path: string) =>
    (await bench.workspace.exec(`[[ -e ${path} || -L ${path} ]]`)).exitCode === 0

  it("F3: info says what a path is, through links", async () => {
    const mode = bench.workspace.can.fileModes ? { mode: "644" } : {}
    const facts = {
      kind: "info",
      type: "file",
      size: 9,
      modified: expect.stringMatching(/^20\d\d-.*Z$/),
      mime_type: "application/json",
      is_text: true,
      ...mode,
    }
    expect(await info("dir/a.json")).toEqual({
      ok: true,
      tool: "file.info",
      result: { ...facts, path: "dir/a.json", is_link: false },
    })
    expect(await info("dir/link")).toMatchObject({
      result: { path: "dir/link", type: "file", size: 9, is_link: true, link_target: "a.json" },
    })
    expect(await info("picture.txt")).toMatchObject({
      result: { mime_type: "image/png", is_text: false },
    })
    expect(await info("dir/")).toMatchObject({ result: { type: "directory", is_link: false } })
    for (const [path, target] of [
      ["broken", "nowhere"],
      ["loop", "loop"],
    ] as const) {
      expect(await info(path)).toEqual({
        ok: true,
        tool: "file.info",
        result: { kind: "info", path, type: "link", is_link: true, link_target: target },
      })
    }
    expect(await info("missing")).toMatchObject({ ok: false, kind: "not_found" })
    expect(await info("../..")).toMatchObject({ ok: false, kind: "invalid_args", field: "path" })
  })

  it("F4: move renames, makes directories, and replaces nothing unless it is told to", async () => {
    await bench.workspace.writeFile("one.txt", "1")
    await bench.workspace.writeFile("two.txt", "2")
    expect(await move({ from: "one.txt", to: "two.txt" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      field: "to",
      message: expect.stringContaining("overwrite"),
    })
    expect(await move({ from: "one.txt", to: "broken" })).toMatchObject({ field: "to" })
    expect(await bench.workspace.readFile("two.txt")).toBe("2")
    expect(await move({ from: "one.txt", to: "new/deep/one.txt" })).toEqual({
      ok: true,
      tool: "file.move",
      result: { kind: "move", from: "one.txt", to: "new/deep/one.txt", overwritten: false },
    })
    const replaced = await move({ from: "new/deep/one.txt", to: "two.txt", overwrite: true })
    expect(replaced).toMatchObject({ ok: true, result: { overwritten: true } })
    expect(await bench.workspace.readFile("two.txt")).toBe("1")
    expect(await there("new/deep/one.txt")).toBe(false)
  })

  it("F4: move refuses a directory's place, itself, and ways out", async () => {
    await bench.workspace.writeFile("box/in/file", "x")
    await bench.workspace.writeFile("loose", "x")
    for (const [input, field] of [
      [{ from: "loose", to: "box", overwrite: true }, "to"],
      [{ from: "box", to: "box/in/box" }, "to"],
      [{ from: "box", to: "./box/" }, "to"],
      [{ from: "loose", to: "../../loose" }, "to"],
      [{ from: "/etc/hostname", to: "name" }, "from"],
    ] as const) {
      expect(await move(input)).toMatchObject({ ok: false, kind: "invalid_args", field })
    }
    expect(await move({ from: "missing", to: "x" })).toMatchObject({ kind: "not_found" })
    expect(await move({ from: "box", to: "loose", overwrite: true })).toMatchObject({ ok: false })
    expect(await bench.workspace.readFile("box/in/file")).toBe("x")
    expect(await bench.workspace.readFile("loose")).toBe("x")
    expect(await move({ from: "box", to: "crate" })).toMatchObject({ ok: true })
    expect(await bench.workspace.readFile("crate/in/file")).toBe("x")
  })

  it("F4: remove takes a full directory only when it is told to, and a link alone", async () => {
    await bench.workspace.writeFile("full/file", "x")
    await bench.workspace.exec("ln -s full to-full")
    expect(await remove({ path: "full" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      field: "recursive",
    })
    expect(await remove({ path: "to-full", recursive: true })).toEqual({
      ok: true,
      tool: "file.remove",
      result: { kind: "remove", path: "to-full" },
    })
    expect(await bench.workspace.readFile("full/file")).toBe("x")
    expect(await remove({ path: "full/file" })).toMatchObject({ ok: true })
    expect(await remove({ path: "full" })).toMatchObject({ ok: true })
    expect(await there("full")).toBe(false)
    expect(await remove({ path: "full", recursive: true })).toMatchObject({ kind: "not_found" })
    expect(await remove({ path: ".", recursive: true })).toMatchObject({ ok: false })
    expect(await remove({ path: "/etc", recursive: true })).toMatchObject({ field: "path" })
    expect(await there("dir/a.json")).toBe(true)
  })
})

describe("what kind of content a file has", () => {
  it.each([
    ["a.PNG", "plain words", "text/plain", true],
    ["BMW.md", "BM is how it starts", "text/markdown", true],
    ["x", "%PDF-1.7\n", "application/pdf", true],
    ["x.svg", "<svg/>", "image/svg+xml", true],
    ["x.json", "\xff\xfe\x01", "application/octet-stream", false],
    ["x", "\x1f\x8b\x08\0", "application/gzip", false],
    ["photo", "\0\0\0\x1cftypavif\0\0\0\0", "image/avif", false],
    ["ID3 tags.txt", "ID3 is a format", "text/plain", true],
    ["constructor.constructor", "", "text/plain", true],
  ])("O5: %s with %j is %s", (path, start, mime_type, is_text) => {
    expect(guessContent(path, Buffer.from(start, "latin1"))).toEqual({ mime_type, is_text })
  })
})
