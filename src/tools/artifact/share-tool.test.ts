import { readFile, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { unpackTar } from "modern-tar"
import { afterAll, describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import { artifactLimits } from "../limits.ts"

async function share(bench: ToolBench, input: unknown) {
  const envelope = await bench.call("artifact.share", input)
  return { ...resultOf(envelope), warnings: envelope.ok ? envelope.warnings : [] }
}

describe.each(benches)("artifact.share on $host", ({ host, open }) => {
  const opened = open()
  afterAll(async () => (await opened)[Symbol.asyncDispose]())

  it("O22.artifacts: a file of the sandbox is copied whole and described", async () => {
    const bench = await opened
    const { workspace } = bench
    const content = new Uint8Array(2 * artifactLimits.chunkBytes + 17).map((_, at) => at % 251)
    await workspace.writeFile("data.bin", content)
    const envelope = await bench.call("artifact.share", { path: "data.bin", description: "All." })
    expect(envelope).toMatchObject({
      ok: true,
      result: {
        kind: "artifact",
        artifact: {
          filename: "data.bin",
          mime_type: "application/octet-stream",
          size: content.length,
        },
        source: `${workspace.cwd}/data.bin`,
        description: "All.",
      },
    })
    const [kept] = await bench.artifacts.list()
    expect(Buffer.compare(await readFile(kept?.path ?? ""), content)).toBe(0)
  })

  it("O22.artifacts: text is shared as it is given, under a name that fits its type", async () => {
    const bench = await opened
    const { artifact } = await share(bench, { content: "# Grüße\n", mime_type: "text/markdown" })
    expect(artifact).toMatchObject({
      filename: "artifact.md",
      mime_type: "text/markdown",
      size: 10,
    })
    expect(await readFile(artifact.path, "utf8")).toBe("# Grüße\n")
    const named = await share(bench, { content: "a,b\n", filename: "table.csv" })
    expect(named.artifact).toMatchObject({ filename: "table.csv", mime_type: "text/csv" })
  })

  it("O22: a directory is shared as its tar", async () => {
    const bench = await opened
    await bench.workspace.mkdir("site/sub")
    await bench.workspace.writeFile("site/index.html", "<p>hi</p>")
    await bench.workspace.writeFile("site/sub/a.txt", "a")
    const { artifact } = await share(bench, { path: "site" })
    expect(artifact).toMatchObject({ filename: "site.tar", mime_type: "application/x-tar" })
    const entries = await unpackTar(new Uint8Array(await readFile(artifact.path)))
    const names = entries.map(({ header }) => header.name.replace(/^\.\//, ""))
    expect(names).toEqual(expect.arrayContaining(["index.html", "sub/a.txt"]))
  })

  it("O23: a file that is where programs put what they make is found by its short name", async () => {
    const bench = await opened
    await bench.workspace.mkdir("dist")
    await bench.workspace.writeFile("dist/app.js", "1")
    const home = bench.workspace.cwd
    expect(await share(bench, { path: "app.js" })).toMatchObject({ source: `${home}/dist/app.js` })
  })

  it("O23.empty: empty optional content and filename mean absent", async () => {
    const bench = await opened
    await bench.workspace.writeFile("note.txt", "n")
    const filled = { path: "note.txt", content: "", filename: "", mime_type: "", description: " " }
    expect(await share(bench, filled)).toMatchObject({ artifact: { filename: "note.txt" } })
    const blank = { path: "note.txt", content: "  ", filename: "\t" }
    expect(await share(bench, blank)).toMatchObject({ artifact: { filename: "note.txt" } })
  })

  it("O23.path: a rejected path names the trusted root and suggests file.glob", async () => {
    const bench = await opened
    const [root = ""] = bench.workspace.roots
    const outside = ["../../../etc/passwd", "/etc/passwd", "a\0b"]
    if (host === "local") {
      await bench.workspace.exec("ln -s /etc outward")
      outside.push("outward/passwd")
    }
    for (const path of outside) {
      const envelope = await bench.call("artifact.share", { path })
      expect(envelope).toMatchObject({
        ok: false,
        kind: "invalid_args",
        field: "path",
        message: expect.stringMatching(/file\.glob/),
      })
      expect(envelope.ok ? "" : envelope.message).toContain(root)
    }
  })

  it("O23.missing: a file that is not found names every path that was tried", async () => {
    const bench = await opened
    const { cwd } = bench.workspace
    const envelope = await bench.call("artifact.share", { path: "charts/foo.png" })
    expect(envelope).toMatchObject({ ok: false, kind: "execution_error" })
    const message = envelope.ok ? "" : envelope.message
    for (const place of [
      "",
      "output/",
      "outputs/",
      "dist/",
      "build/",
      "out/",
      "public/",
      "artifacts/",
    ]) {
      expect(message).toContain(`${cwd}/${place}charts/foo.png`)
    }
  })

  it("O23.filename: a filename that is no plain basename is rejected", async () => {
    const bench = await opened
    for (const filename of ["../a.txt", "a/b.txt", "c:\\a", "..", "a\nb", "x".repeat(256)]) {
      expect(await bench.call("artifact.share", { content: "x", filename })).toMatchObject({
        ok: false,
        kind: "invalid_args",
        field: "filename",
        message: expect.stringContaining("plain basename"),
      })
    }
  })

  it("O23: nothing, or both a file and a text, is refused", async () => {
    const bench = await opened
    const nothing = await bench.call("artifact.share", { path: "", content: "" })
    expect(nothing).toMatchObject({ ok: false, kind: "invalid_args", field: "path" })
    const both = await bench.call("artifact.share", { path: "note.txt", content: "x" })
    expect(both).toMatchObject({ ok: false, kind: "invalid_args", field: "content" })
  })

  it("O23.copy: what can't be copied says the file system's reason and the source", async () => {
    const bench = await opened
    await bench.workspace.writeFile("full.txt", "x")
    const { artifact } = await share(bench, { path: "full.txt" })
    const directory = dirname(dirname(dirname(artifact.path)))
    await rm(directory, { recursive: true })
    await writeFile(directory, "a file where the directory was")
    const source = `${bench.workspace.cwd}/full.txt`
    expect(await bench.call("artifact.share", { path: "full.txt" })).toMatchObject({
      ok: false,
      kind: "execution_error",
      message: expect.stringMatching(/ENOTDIR|EEXIST/),
    })
    const again = await bench.call("artifact.share", { path: "full.txt" })
    expect(again.ok ? "" : again.message).toContain(source)
    await rm(directory)
  })
})

it("O23.copy: a file that its sandbox may not read is a copy that failed", async () => {
  const bubblewrap = benches.find(({ host }) => host === "bubblewrap")
  await using bench = await (bubblewrap as (typeof benches)[number]).open()
  await bench.workspace.exec("echo secret > locked.txt; chmod 000 locked.txt")
  const envelope = await bench.call("artifact.share", { path: "locked.txt" })
  expect(envelope).toMatchObject({
    ok: false,
    kind: "execution_error",
    message: expect.stringMatching(/locked\.txt.*not permitted/),
  })
  expect(await bench.artifacts.list()).toEqual([])
})

it("O23: more than the limit is refused before anything is copied", async () => {
  const local = benches.find(({ host }) => host === "local")
  await using bench = await (local as (typeof benches)[number]).open()
  await bench.workspace.exec(`truncate -s ${artifactLimits.bytes + 1} huge.bin; mkfifo pipe`)
  expect(await bench.call("artifact.share", { path: "huge.bin" })).toMatchObject({
    ok: false,
    kind: "invalid_args",
    field: "path",
    message: expect.stringContaining(String(artifactLimits.bytes)),
  })
  expect(await bench.call("artifact.share", { path: "pipe" })).toMatchObject({
    ok: false,
    kind: "invalid_args",
    field: "path",
  })
})
