import { createTwoFilesPatch } from "diff"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  benches,
  callTool,
  localBench,
  type ToolBench,
} from "../../../../test/support/tools/tool-bench.ts"
import type { Workspace } from "../../../contract/index.ts"
import { fileLimits } from "../../limits.ts"
import { applyHunks } from "./apply-hunks.ts"
import { parsePatch } from "./parse-patch.ts"

describe.each(benches)("file.patch on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const apply = (...lines: readonly string[]) =>
    bench.call("file.patch", { patch: `${lines.join("\n")}\n` })
  const write = (path: string, content: string | Uint8Array) =>
    bench.workspace.writeFile(path, content)
  const text = async (path: string) =>
    Buffer.from(await bench.workspace.readFileBuffer(path)).toString()
  const ok = (files: readonly object[], warnings?: readonly string[]) => ({
    ok: true,
    tool: "file.patch",
    result: { kind: "patch", files, file_count: files.length },
    ...(warnings && { warnings }),
  })

  it("F5: adds, changes, renames and deletes files in one go", async () => {
    await write("src/a.txt", "one\ntwo\nthree\n")
    await write("old name.txt", "1\n2\n")
    await write("gone.txt", "bye\n")
    expect(
      await apply(
        "Some words before it.",
        "--- a/src/a.txt\t2026-01-01 00:00:00",
        "+++ b/src/a.txt\t2026-01-01 00:00:01",
        "@@ -1,3 +1,4 @@ function",
        " one",
        "-two",
        "+2",
        "+2.5",
        " three",
        "--- /dev/null",
        "+++ b/new/b.txt",
        "@@ -0,0 +1,2 @@",
        "+x",
        "+-- y",
        "\\ No newline at end of file",
        "diff --git a/old name.txt b/new name.txt",
        "similarity index 50%",
        "rename from old name.txt",
        "rename to new name.txt",
        "--- a/old name.txt",
        "+++ b/new name.txt",
        "@@ -2 +2 @@",
        "-2",
        "+two",
        "diff --git a/empty b/empty",
        "new file mode 100755",
        "index 0000000..e69de29",
        "--- a/gone.txt",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-bye",
        "-- ",
        "2.39.5",
      ),
    ).toEqual(
      ok([
        { path: "src/a.txt", change: "modified", hunks: 1, lines_added: 2, lines_removed: 1 },
        { path: "new/b.txt", change: "added", hunks: 1, lines_added: 2, lines_removed: 0 },
        {
          path: "new name.txt",
          from: "old name.txt",
          change: "renamed",
          hunks: 1,
          lines_added: 1,
          lines_removed: 1,
        },
        { path: "empty", change: "added", hunks: 0, lines_added: 0, lines_removed: 0 },
        { path: "gone.txt", change: "deleted", hunks: 1, lines_added: 0, lines_removed: 1 },
      ]),
    )
    expect(await text("src/a.txt")).toBe("one\n2\n2.5\nthree\n")
    expect(await text("new/b.txt")).toBe("x\n-- y")
    expect(await text("new name.txt")).toBe("1\ntwo\n")
    expect(await text("empty")).toBe("")
    for (const path of ["old name.txt", "gone.txt"]) {
      expect(await bench.workspace.exists(path)).toBe(false)
    }
    if (bench.workspace.can.fileModes) {
      expect((await bench.workspace.stat("empty")).mode & 0o111).toBe(0o111)
    }
  })

  it("F5: nothing at all is written when one hunk of one file does not match", async () => {
    await write("first.txt", "a\n")
    await write("second.txt", "one\ntwo\nthree\n")
    const answer = await apply(
      "--- first.txt",
      "+++ first.txt",
      "@@ -1 +1 @@",
      "-a",
      "+b",
      "--- /dev/null",
      "+++ third/new.txt",
      "@@ -0,0 +1 @@",
      "+new",
      "--- second.txt",
      "+++ second.txt",
      "@@ -1 +1 @@",
      "-one",
      "+1",
      "@@ -2,2 +2,2 @@",
      " two",
      "-drei",
      "+3",
    )
    expect(answer).toMatchObject({
      ok: false,
      kind: "invalid_args",
      field: "patch",
      message:
        'second.txt: hunk 2, @@ -2,2 +2,2 @@, does not match at line 3: the file has "three", the patch "drei". Read the file again. Nothing was changed.',
    })
    expect(await text("first.txt")).toBe("a\n")
    expect(await text("second.txt")).toBe("one\ntwo\nthree\n")
    expect(await bench.workspace.exists("third")).toBe(false)
  })

  it("F5: a hunk some lines off is found, and said to be", async () => {
    await write("moved.txt", "0\n0\n0\none\ntwo\nthree\nfour\n")
    const lines = ["--- a/moved.txt", "+++ b/moved.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+2"]
    expect(await apply(...lines, "@@ -4 +4 @@", "-four", "+4")).toEqual(
      ok(
        [{ path: "moved.txt", change: "modified", hunks: 2, lines_added: 2, lines_removed: 2 }],
        ["moved.txt: hunk 1 was applied 3 lines later than it says."],
      ),
    )
    expect(await text("moved.txt")).toBe("0\n0\n0\none\n2\nthree\n4\n")
  })

  it("F5: line ends, a byte order mark and a missing last line end stay as they are", async () => {
    const change = ["@@ -1,2 +1,2 @@", " \uFEFFone", "-two", "+2"]
    await write("crlf.txt", "\uFEFFone\r\ntwo\r\n")
    expect(await apply("--- crlf.txt", "+++ crlf.txt", ...change)).toMatchObject({ ok: true })
    expect(await text("crlf.txt")).toBe("\uFEFFone\r\n2\r\n")
    await write("open.txt", "one\ntwo")
    expect(
      await apply("--- open.txt", "+++ open.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+2"),
    ).toMatchObject({ ok: false, message: expect.stringContaining("no line end") })
    const marker = "\\ No newline at end of file"
    expect(
      await apply("--- open.txt", "+++ open.txt", "@@ -2 +2 @@", "-two", marker, "+2", marker),
    ).toMatchObject({ ok: true })
    expect(await text("open.txt")).toBe("one\n2")
  })

  it("O8, O13: what leads out of the workspace is refused, by its name or through a link", async () => {
    const add = (path: string) => ["--- /dev/null", `+++ ${path}`, "@@ -0,0 +1 @@", "+owned"]
    for (const path of ["../out.txt", "/etc/owned", "b/../../out.txt", "x/../../../etc/owned"]) {
      expect(await apply(...add(path))).toMatchObject({
        ok: false,
        kind: "invalid_args",
        field: "patch",
      })
    }
    await bench.workspace.exec("ln -s /etc way-out; ln -s /etc/hostname file-out")
    await write("inside.txt", "a\n")
    const inside = ["--- inside.txt", "+++ inside.txt", "@@ -1 +1 @@", "-a", "+b"]
    const answer = await apply(...inside, ...add("way-out/owned"))
    expect(answer).toMatchObject({ ok: false })
    expect(await text("inside.txt")).toBe("a\n")
    expect(await apply(...add("file-out"))).toMatchObject({ ok: false })
  })

  it("O8, O10: a missing file, a directory, a binary and one that is there already are refused", async () => {
    await write("there.txt", "x\n")
    await write("dir/x", "x\n")
    await write("binary", Uint8Array.of(0x61, 0, 0x0a))
    const change = (path: string) => [`--- ${path}`, `+++ ${path}`, "@@ -1 +1 @@", "-a", "+b"]
    expect(await apply(...change("nowhere.txt"))).toMatchObject({ kind: "not_found" })
    expect(await apply(...change("dir"))).toMatchObject({ kind: "invalid_args" })
    expect(await apply(...change("binary"))).toMatchObject({ kind: "invalid_args", field: "patch" })
    expect(await apply("--- /dev/null", "+++ there.txt", "@@ -0,0 +1 @@", "+y")).toMatchObject({
      message: expect.stringContaining("it already exists"),
    })
    expect(await apply("--- there.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-y")).toMatchObject({
      kind: "invalid_args",
    })
    expect(await text("there.txt")).toBe("x\n")
  })

  it("F5: 10,000 hunks are applied in little time", async () => {
    const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at}`)
    await write("many.txt", `${lines.join("\n")}\n`)
    const hunks = Array.from({ length: 10_000 }, (_, at) => {
      const line = at * 4
      return `@@ -${line + 1},2 +${line + 1},2 @@\n line ${line}\n-line ${line + 1}\n+LINE ${line + 1}`
    })
    const started = performance.now()
    expect(await apply("--- many.txt", "+++ many.txt", ...hunks)).toMatchObject({ ok: true })
    expect(performance.now() - started).toBeLessThan(60_000)
    const after = (await text("many.txt")).split("\n")
    expect(after.filter((line) => line.startsWith("LINE"))).toHaveLength(10_000)
  })
})

describe("file.patch over files that fail or change under it", () => {
  const patch = [
    "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+A",
    "--- /dev/null\n+++ new/deep/n.txt\n@@ -0,0 +1 @@\n+n",
    "--- gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-g",
    "--- z.txt\n+++ z.txt\n@@ -1 +1 @@\n-z\n+Z\n",
  ].join("\n")

  async function callWith(change: (workspace: Workspace) => Partial<Workspace>) {
    const bench = await localBench.open()
    const { workspace } = bench
    for (const name of ["a", "z"]) await workspace.writeFile(`${name}.txt`, `${name}\n`)
    await workspace.writeFile("gone.txt", "g\n")
    const changed = { ...workspace, ...change(workspace) }
    const answer = await callTool(
      { tools: bench.tools, workspace: async () => changed },
      "file.patch",
      { patch },
    )
    return { bench, workspace, answer }
  }

  it("F5: a write or a removal that fails takes back those before it", async () => {
    for (const failing of ["writeFile", "remove"] as const) {
      const { bench, workspace, answer } = await callWith((real) => ({
        [failing]: async (path: string, ...rest: readonly never[]) => {
          if (path.endsWith(failing === "remove" ? "gone.txt" : "z.txt")) throw new Error("no room")
          return (real[failing] as (...all: readonly unknown[]) => Promise<void>)(path, ...rest)
        },
      }))
      expect(answer).toMatchObject({ ok: false, kind: "execution_error" })
      const left = await workspace.exec("cat a.txt gone.txt z.txt; ls")
      expect(left.stdout).toBe("a\ng\nz\na.txt\ngone.txt\nz.txt\n")
      await bench[Symbol.asyncDispose]()
    }
  })

  it("F5: what something else writes meanwhile is not lost", async () => {
    const reads = new Map<string, number>()
    const { bench, workspace, answer } = await callWith((real) => ({
      async readFileBuffer(path, options) {
        reads.set(path, (reads.get(path) ?? 0) + 1)
        if (path.endsWith("z.txt") && reads.get(path) === 2) await real.writeFile(path, "theirs\n")
        return real.readFileBuffer(path, options)
      },
    }))
    expect(answer).toMatchObject({
      ok: false,
      kind: "execution_error",
      message: expect.stringContaining('"z.txt" was changed by something else'),
    })
    const left = await workspace.exec("cat a.txt gone.txt z.txt; ls")
    expect(left.stdout).toBe("a\ng\ntheirs\na.txt\ngone.txt\nz.txt\n")
    await bench[Symbol.asyncDispose]()
  })
})

describe("reading a patch", () => {
  it.each([
    ["nothing of a patch", "hello\nworld", /^$/],
    ["no file", "@@ -1 +1 @@\n-a\n+b", /does not say which file/],
    ["a hunk's numbers", "--- a\n+++ a\n@@ ... @@\n-a\n+b", /starts a hunk, but not as in/],
    [
      "too few lines",
      "--- a\n+++ a\n@@ -1,3 +1,3 @@\n-a\n+b\n c",
      /looks like 2 before and 2 after/,
    ],
    ["too many lines", "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n c", /looks like 2 before and 2 after/],
    ["two names", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b", /a rename needs lines/],
    ["a binary", "diff --git a/x b/x\nBinary files a/x and b/x differ", /as binary/],
    ["no hunk", "--- a/x\n+++ b/x\n", /no hunk for "x"/],
  ])("O8: %s is pointed out", (_what, patch, message) => {
    if (message.test("")) expect(parsePatch(patch)).toEqual([])
    else expect(() => parsePatch(patch)).toThrow(message)
  })

  it("F5: names are read as git writes them", () => {
    const names = (patch: string) => parsePatch(patch).map(({ from, to }) => [from, to])
    const hunk = "@@ -1 +1 @@\n-a\n+b\n"
    expect(names(`--- "a/t\\303\\244b\\t.txt"\n+++ "b/t\\303\\244b\\t.txt"\n${hunk}`)).toEqual([
      ["täb\t.txt", "täb\t.txt"],
    ])
    expect(names(`--- a/x\n+++ a/x\n${hunk}`)).toEqual([["a/x", "a/x"]])
    const rename = "diff --git a/a/x b/b/y\nrename from a/x\nrename to b/y\n"
    expect(names(`${rename}${rename}`)).toEqual([
      ["a/x", "b/y"],
      ["a/x", "b/y"],
    ])
    expect(names("diff --git a/a b.txt b/a b.txt\nnew file mode 100644\n")).toEqual([
      [null, "a b.txt"],
    ])
  })

  it("F5: whatever a diff says of two texts makes the one into the other", () => {
    const line = fc.constantFrom("", "a", "b", "-- c", "++ d", "\\", "@@", "e\r", " f")
    const anyText = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""))
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        fc.pre(before !== after)
        const patch = createTwoFilesPatch("a/x", "b/x", before, after, "", "", { context })
        const [file] = parsePatch(patch)
        expect(applyHunks(before, file?.hunks ?? []).text).toBe(after)
      }),
      { numRuns: 300 },
    )
  })

  it("O8: a patch of nothing but headers is read in little time", () => {
    for (const part of ["--- a\n", "@@", "diff --git a/a b/a\n", "\\", "-- \n", '"\\', " b/"]) {
      const patch = part.repeat(1_000_000 / part.length)
      const started = performance.now()
      try {
        parsePatch(`diff --git ${patch}\n${patch}`)
      } catch {}
      expect(performance.now() - started).toBeLessThan(60_000)
    }
    expect(fileLimits.patchCharacters).toBeGreaterThan(1_000_000)
  })
})

it("F5: all files of a patch are held while it is applied", async () => {
  await using bench = await localBench.open()
  const tool = bench.tools.find((one) => one.name === "file.patch")
  const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n"
  expect(tool?.paths({ patch } as never)).toEqual([
    { path: "x", mode: "write" },
    { path: "x", mode: "write" },
    { path: "y", mode: "write" },
  ])
  expect(tool?.paths({ patch: "@@" } as never)).toEqual([])
})
