import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"

const files = [
  "a.ts",
  "src/b.ts",
  "src/deep/c.ts",
  "src/deep/d.js",
  "src/-dash.ts",
  "src/new\nline.ts",
  "src/$(id) `id` 'q' \"d\".ts",
  "src/é 😀.ts",
  ".env",
  ".github/ci.yml",
  ".git/hooks/x.ts",
  "ignored/z.ts",
  "some.log",
]

describe.each(benches)("file.glob on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    for (const file of files) await bench.workspace.writeFile(`p/${file}`, "x")
    await bench.workspace.writeFile("p/.gitignore", "ignored/\n*.log\n")
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const glob = (input: unknown) => bench.call("file.glob", input)
  const found = async (input: object) => {
    return resultOf(await glob({ path: "p", ...input })).files
  }

  it("F6, O4: finds files by name, whatever their names hold, as paths for the next call", async () => {
    expect(await glob({ pattern: "**/*.ts", path: "p" })).toEqual({
      ok: true,
      tool: "file.glob",
      result: {
        kind: "search",
        pattern: "**/*.ts",
        path: "p",
        files: files
          .filter((file) => /\.ts$/.test(file) && !/^(\.git|ignored)\//.test(file))
          .map((file) => `p/${file}`)
          .sort(),
        count: 7,
        truncated: false,
      },
    })
    for (const path of await found({ pattern: "src/*" })) {
      expect(await bench.call("file.read", { path })).toMatchObject({ result: { text: "x" } })
    }
  })

  it("F6: patterns are relative to path; one without a slash matches at any depth", async () => {
    expect(await found({ pattern: "c.ts" })).toEqual(["p/src/deep/c.ts"])
    expect(await found({ pattern: "deep/c.ts" })).toEqual([])
    expect(await found({ pattern: "deep/*.{js,ts}", path: "p/src" })).toEqual([
      "p/src/deep/c.ts",
      "p/src/deep/d.js",
    ])
    const path = `${bench.workspace.cwd}/p`
    expect(await found({ pattern: `${path}/src/deep/*.js`, path })).toEqual([
      `${path}/src/deep/d.js`,
    ])
  })

  it("F6: hidden and ignored files come when asked for, git's own never", async () => {
    expect(await found({ pattern: "*.log" })).toEqual([])
    expect(await found({ pattern: "*.log", include_ignored: true })).toEqual(["p/some.log"])
    expect(await found({ pattern: "ignored/*", include_ignored: true })).toEqual(["p/ignored/z.ts"])
    expect(await found({ pattern: ".github/*" })).toEqual(["p/.github/ci.yml"])
    expect(await found({ pattern: "*.yml" })).toEqual([])
    expect(await found({ pattern: "*.yml", include_hidden: true })).toEqual(["p/.github/ci.yml"])
    const everything = { pattern: "**", include_hidden: true, include_ignored: true }
    expect(await found(everything)).toEqual(
      [...files, ".gitignore"]
        .filter((file) => !file.startsWith(".git/"))
        .map((file) => `p/${file}`)
        .sort(),
    )
    expect(await found({ pattern: "**", path: "p/.git" })).toEqual(["p/.git/hooks/x.ts"])
  })

  it("F6: a limit is kept and says that there is more", async () => {
    expect(await glob({ pattern: "*.ts", path: "p", limit: 2 })).toMatchObject({
      result: { count: 2, truncated: true },
    })
    expect(await glob({ pattern: "*.ts", path: "p", limit: 7 })).toMatchObject({
      result: { count: 7, truncated: false },
    })
  })

  it("O8, O10: a bad pattern, a missing directory and a file are told apart", async () => {
    expect(await glob({ pattern: "src/[a" })).toEqual({
      ok: false,
      kind: "invalid_args",
      message: '"src/[a" is not a valid glob: it has a "[" without its "]".',
      field: "pattern",
      expected: 'a glob such as "**/*.ts" or "src/*.{js,ts}"',
      tool: "file.glob",
      retryable: true,
    })
    expect(await glob({ pattern: "*", path: "nowhere" })).toMatchObject({ kind: "not_found" })
    expect(await glob({ pattern: "*", path: "p/a.ts" })).toMatchObject({ kind: "invalid_args" })
    expect(await glob({ pattern: "*", path: "/etc" })).toMatchObject({ field: "path" })
  })
})
