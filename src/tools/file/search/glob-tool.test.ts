import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { execBenches } from "../../../../test/support/tools/exec-benches.ts"
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

describe.each([...benches, ...execBenches])("file.glob on the $host host", ({ open }) => {
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

  it("F6.glob, O4.next: finds files by name, whatever their names hold, as paths for the next call", async () => {
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

  it("C5: as a shell does, a pattern starts at path, finds directories too and leaves nothing out", async () => {
    const expanded = (pattern: string) => found({ pattern, as_shell: true })
    expect(await expanded("*")).toEqual(["a.ts", "ignored", "some.log", "src"])
    expect(await expanded("*.ts")).toEqual(["a.ts"])
    expect(await expanded("*/*.ts")).toContain("ignored/z.ts")
    expect(await expanded("s*/d*/c.ts")).toEqual(["src/deep/c.ts"])
    expect(await expanded("**/[cd].*")).toEqual(["src/deep/c.ts", "src/deep/d.js"])
    expect(await expanded("src/**/c.ts")).toEqual(["src/deep/c.ts"])
    expect(await expanded(".*")).toEqual([".env", ".git", ".github", ".gitignore"])
    expect(await expanded("{a,src/b}.ts")).toEqual(["a.ts", "src/b.ts"])
    expect(await expanded("*/")).toEqual(["ignored/", "src/"])
    expect(await expanded("../*")).toEqual([])
    expect(await glob({ pattern: "*", path: "p", as_shell: true, limit: 2 })).toMatchObject({
      result: { files: ["a.ts", "ignored"], count: 2, truncated: true },
    })
    expect(await glob({ pattern: "/etc/*", path: "p", as_shell: true })).toMatchObject({
      kind: "invalid_args",
      field: "pattern",
    })
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

  it("F6: every .gitignore and .ignore counts below its directory, the nearest first, as for ripgrep", async () => {
    const rules: Readonly<Record<string, string>> = {
      ".gitignore":
        "*.log\n/top\nbuild/\ndist\n!keep.log\nsrc/*.tmp\n\\#odd\n# a comment\nspace\\ \n",
      "a/.gitignore": "!*.log\nown\n!dist\n",
      "a/b/.gitignore": "*.log\n",
      "a/.ignore": "hidden.txt\n",
      "c/.ignore": "!kept.log\n",
      "other/.gitignore": "x\n",
    }
    const names = [
      ...[
        "1.log",
        "keep.log",
        "top",
        "deep/top",
        "build/x",
        "deep/build/x",
        "deep/build2",
        "dist",
        "deep/dist/x",
      ],
      ...[
        "src/1.tmp",
        "src/deep/1.tmp",
        "#odd",
        "space ",
        "a/1.log",
        "a/own",
        "own",
        "a/dist/x",
        "a/b/1.log",
      ],
      ...[
        "a/hidden.txt",
        "hidden.txt",
        "c/1.log",
        "c/kept.log",
        "other/x",
        "other/.git/config",
        "other/dist/y",
      ],
    ]
    const write = (path: string, text: string) => bench.workspace.writeFile(`rules/${path}`, text)
    for (const [path, text] of Object.entries(rules)) await write(path, text)
    for (const path of names) await write(path, "x")
    const visible = () => found({ pattern: "**", path: "rules" })
    const without = (...ignored: string[]) =>
      names
        .filter((path) => !ignored.includes(path) && !path.includes("/.git/"))
        .map((path) => `rules/${path}`)
        .sort()
    // Outside of a repository, only .ignore counts; one starts at other.
    expect(await visible()).toEqual(without("a/hidden.txt", "other/x"))
    await write(".git/config", "")
    expect(await visible()).toEqual(
      without(
        ...["1.log", "top", "build/x", "deep/build/x", "dist", "deep/dist/x", "src/1.tmp", "#odd"],
        ...["space ", "a/own", "a/b/1.log", "a/hidden.txt", "c/1.log", "other/x"],
      ),
    )
    expect(await found({ pattern: "**", path: "rules/a" })).toEqual([
      "rules/a/1.log",
      "rules/a/dist/x",
    ])
    expect(await found({ pattern: "*.log", path: "rules/a", include_ignored: true })).toEqual([
      "rules/a/1.log",
      "rules/a/b/1.log",
    ])
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
