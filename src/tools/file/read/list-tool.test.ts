import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { limits } from "../../../contract/index.ts"

describe.each(benches)("file.list on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    for (const path of ["z", "b/two", "b/c/three", "b/.hidden", "a"]) {
      await bench.workspace.writeFile(`tree/${path}`, "")
    }
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const list = (input: unknown) => bench.call("file.list", input)
  const paths = (answer: Awaited<ReturnType<typeof list>>) =>
    resultOf(answer).entries.map(({ path }) => path)

  it("O4.fields: entries are sorted, with paths that are ready for the next call", async () => {
    expect(await list({ path: "tree" })).toEqual({
      ok: true,
      tool: "file.list",
      result: {
        kind: "listing",
        path: "tree",
        entries: [
          { name: "a", path: "tree/a", type: "file" },
          { name: "b", path: "tree/b", type: "directory" },
          { name: "z", path: "tree/z", type: "file" },
        ],
        entry_count: 3,
        truncated: false,
      },
    })
  })

  it("O4.tree: recursive goes nearest first, also from an absolute path", async () => {
    const path = `${bench.workspace.cwd}/tree`
    const answer = await list({ path, recursive: true })
    expect(resultOf(answer)).toEqual({
      kind: "listing",
      path,
      entries: expect.any(Array),
      entry_count: 7,
      truncated: false,
    })
    expect(paths(answer)).toEqual(
      ["a", "b", "z", "b/.hidden", "b/c", "b/two", "b/c/three"].map((one) => `${path}/${one}`),
    )
  })

  it("O4, O7: a limit is kept at any depth and says that there is more", async () => {
    for (const [limit, truncated] of [
      [2, true],
      [4, true],
      [6, true],
      [7, false],
    ] as const) {
      const answer = await list({ path: "tree", recursive: true, limit })
      expect(answer).toMatchObject({ result: { entry_count: limit, truncated } })
      expect(paths(answer)).toHaveLength(limit)
    }
  })

  it("O4: links are listed and never followed", async () => {
    await bench.workspace.exec(
      "mkdir -p links/real && ln -s .. links/real/up && ln -s /etc links/out",
    )
    expect(await list({ path: "links", recursive: true })).toMatchObject({
      result: {
        entries: [
          { name: "out", path: "links/out", type: "symlink" },
          { name: "real", path: "links/real", type: "directory" },
          { name: "up", path: "links/real/up", type: "symlink" },
        ],
        truncated: false,
      },
    })
  })

  it("O4, O34: however long the names are, a listing fits into a result and says that it is cut", async () => {
    const deep = Array.from({ length: 10 }, (_, at) => `${at}${"é".repeat(120)}`).join("/")
    for (let at = 0; at < 200; at += 1) await bench.workspace.writeFile(`long/${deep}/${at}`, "")
    const answer = await list({ path: `long/${deep}` })
    expect(answer).toMatchObject({ ok: true, result: { truncated: true } })
    expect(JSON.stringify(answer).length).toBeLessThan(limits.resultBytes)
    expect(answer).not.toHaveProperty("warnings")
  })

  it("O10.directory, O8: a missing directory is not_found, a file is refused, so is what lies outside", async () => {
    expect(await list({ path: "nowhere" })).toMatchObject({ ok: false, kind: "not_found" })
    expect(await list({ path: "tree/a" })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: expect.stringContaining("is not a directory"),
    })
    expect(await list({ path: "/" })).toMatchObject({ kind: "invalid_args", field: "path" })
  })
})
