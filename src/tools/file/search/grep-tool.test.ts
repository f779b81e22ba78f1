import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { execBenches } from "../../../../test/support/tools/exec-benches.ts"
import { benches, resultOf, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { searchLimits } from "../../limits.ts"

const files: Readonly<Record<string, string | Uint8Array>> = {
  "src/a.ts": "one\nlet needle = 1\nthree\nfour\nneedle again\nsix\n",
  "src/deep/b.js": "é😀 Needle\r\n",
  "-rf": "needle",
  "new\nline.ts": "needle\n",
  ".hidden": "needle\n",
  "ignored.log": "needle\n",
  ".git/x": "needle\n",
  ".gitignore": "*.log\n",
  binary: Uint8Array.of(0x6e, 0, 0x0a, ...Buffer.from("needle\n")),
  "long.txt": `${"a".repeat(3_000)}needle${"b".repeat(3_000)}\n`,
}

describe.each([...benches, ...execBenches])("file.grep on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    for (const [path, content] of Object.entries(files)) {
      await bench.workspace.writeFile(`p/${path}`, content)
    }
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const grep = (input: object) => bench.call("file.grep", { path: "p", ...input })
  const found = async (input: object) => {
    return resultOf(await grep(input)).matches.map(({ path, line }) => `${path}:${line}`)
  }

  it("F6.grep: gives each matching line with its path and number, and skips binary files", async () => {
    expect(await grep({ pattern: "needle (=|again)" })).toEqual({
      ok: true,
      tool: "file.grep",
      result: {
        kind: "search",
        pattern: "needle (=|again)",
        path: "p",
        matches: [
          { path: "p/src/a.ts", line: 2, text: "let needle = 1" },
          { path: "p/src/a.ts", line: 5, text: "needle again" },
        ],
        match_count: 2,
        file_count: 1,
        truncated: false,
      },
    })
    expect(await found({ pattern: "needle" })).toEqual([
      "p/-rf:1",
      "p/long.txt:1",
      "p/new\nline.ts:1",
      "p/src/a.ts:2",
      "p/src/a.ts:5",
    ])
    expect(await found({ pattern: "needle", path: "p/binary" })).toEqual([])
  })

  it("F6: shows the lines around a match, at the edges of a file too", async () => {
    expect(
      await grep({ pattern: "needle", glob: "*.ts", path: "p/src", context_lines: 2 }),
    ).toMatchObject({
      result: {
        matches: [
          { line: 2, before: ["one"], text: "let needle = 1", after: ["three", "four"] },
          { line: 5, before: ["three", "four"], text: "needle again", after: ["six"] },
        ],
      },
    })
    expect(
      await grep({ pattern: "needle", path: "p/src/a.ts", context_lines: 3, limit: 1 }),
    ).toMatchObject({
      result: {
        matches: [
          { path: "p/src/a.ts", before: ["one"], after: ["three", "four", "needle again"] },
        ],
        truncated: true,
      },
    })
  })

  it("F6: a glob chooses the files, and .gitignore still holds", async () => {
    expect(await found({ pattern: "needle", glob: "**/*.{ts,js}" })).toEqual([
      "p/new\nline.ts:1",
      "p/src/a.ts:2",
      "p/src/a.ts:5",
    ])
    expect(await found({ pattern: "needle", glob: "*.log" })).toEqual([])
    expect(await found({ pattern: "needle", glob: "*.log", include_ignored: true })).toEqual([
      "p/ignored.log:1",
    ])
    expect(await found({ pattern: "needle", path: "p/ignored.log" })).toEqual(["p/ignored.log:1"])
    expect(await found({ pattern: "needle", path: "p/.hidden" })).toEqual(["p/.hidden:1"])
    expect(await found({ pattern: "needle", glob: "-rf" })).toEqual(["p/-rf:1"])
    expect(await found({ pattern: "needle", glob: "none*" })).toEqual([])
    expect(await found({ pattern: "needle", path: "p/src/a.ts", glob: "*.js" })).toEqual([])
  })

  it("F6: hidden files come when asked for, git's own never", async () => {
    expect(await found({ pattern: "needle", glob: ".hid*" })).toEqual(["p/.hidden:1"])
    const hidden = await found({ pattern: "needle", include_hidden: true })
    expect(hidden).toContain("p/.hidden:1")
    expect(hidden).not.toContain("p/.git/x:1")
  })

  it("F6: case and plain text are as asked", async () => {
    expect(await found({ pattern: "NEEDLE$", glob: "*.js" })).toEqual([])
    expect(await found({ pattern: "NEEDLE", glob: "*.js", case_sensitive: false })).toEqual([
      "p/src/deep/b.js:1",
    ])
    expect(await found({ pattern: "needle (=", fixed: true })).toEqual([])
    expect(await found({ pattern: "-", fixed: true })).toEqual([])
    expect(await found({ pattern: "--help" })).toEqual([])
    expect(await found({ pattern: "$(id)", fixed: true })).toEqual([])
  })

  it("F6: a pattern that matches nothing, an empty line or everything finds just that", async () => {
    await bench.workspace.writeFile("odd/text", "one\n\n--flag -x\n$x^ [a] {b} a|b\n\ttab\nÉé\n")
    const lines = async (pattern: string, more: object = {}) => {
      const { matches } = resultOf(await grep({ pattern, path: "odd", ...more }))
      return matches.map(({ line }) => line)
    }
    expect(await lines("^$")).toEqual([2])
    for (const pattern of [".*", "a*", "x?", "(a|b)*?", "^"]) {
      expect({ pattern, lines: await lines(pattern) }).toEqual({
        pattern,
        lines: [1, 2, 3, 4, 5, 6],
      })
    }
    expect(await lines("--flag")).toEqual([3])
    expect(await lines("-x")).toEqual([3])
    expect(await lines("--", { fixed: true })).toEqual([3])
    expect(await lines("\\$x\\^ \\[a\\] \\{b\\}")).toEqual([4])
    expect(await lines("[]|]b")).toEqual([4])
    expect(await lines("a\\|b")).toEqual([4])
    expect(await lines("^\\s\\w+$")).toEqual([5])
    expect(await lines("\\bflag\\b")).toEqual([3])
    expect(await lines("[^\\w\\s-]x")).toEqual([4])
    expect(await lines("(?i)FLAG")).toEqual([3])
    expect(await lines("(?:one|tab)$")).toEqual([1, 5])
    expect(await lines("^[a-z]{3}?$")).toEqual([1])
    expect(await lines("é")).toEqual([6])
    expect(await lines("\\x41|\\x2d\\x2d")).toEqual([3])
  })

  it("F6: files whose names are text for a shell are searched as any other", async () => {
    const names = [
      "-e",
      "--",
      "a b",
      "'q'",
      '"d"',
      "$(id)",
      "`id`",
      "a\nb",
      "\n",
      "f0",
      "1:x",
      "é😀",
      "*",
      "\\",
    ]
    for (const name of names)
      await bench.workspace.writeFile(`names/${name}`, `mark ${name.length}\n`)
    const answer = resultOf(await grep({ pattern: "mark", path: "names" }))
    expect(answer.matches).toEqual(
      names
        .map((name) => ({ path: `names/${name}`, line: 1, text: `mark ${name.length}` }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    )
    for (const { path } of answer.matches)
      expect(await found({ pattern: "mark", path })).toEqual([`${path}:1`])
  })

  it("O34: a long line is cut around what matched", async () => {
    const answer = await grep({ pattern: "needle", path: "p/long.txt" })
    expect(answer).toMatchObject({
      result: { matches: [{ text: expect.stringMatching(/^\[\.\.\.\] a+needleb+ \[\.\.\.\]$/) }] },
    })
    expect(JSON.stringify(answer).length).toBeLessThan(searchLimits.lineCharacters + 300)
  })

  it("F6: a limit is kept and says that there is more", async () => {
    await bench.workspace.writeFile("many/x", "hit\n".repeat(5_000))
    expect(await grep({ pattern: "hit", path: "many", limit: 10 })).toMatchObject({
      result: { match_count: 10, file_count: 1, truncated: true },
    })
    expect(await grep({ pattern: "needle", limit: 5 })).toMatchObject({
      result: { match_count: 5, truncated: false },
    })
  })

  it("F6: nothing found is a success with an empty list", async () => {
    expect(await grep({ pattern: "haystack" })).toEqual({
      ok: true,
      tool: "file.grep",
      result: {
        kind: "search",
        pattern: "haystack",
        path: "p",
        matches: [],
        match_count: 0,
        file_count: 0,
        truncated: false,
      },
    })
  })

  it.each(["(", "(?=x)", "a\nb", "a\\nb", "x{99999999}"])(
    "O8: the pattern %j is refused in one line that says why",
    async (pattern) => {
      const answer = await grep({ pattern })
      expect(answer).toMatchObject({ ok: false, kind: "invalid_args", field: "pattern" })
      expect(answer).toMatchObject({ message: expect.stringMatching(/^The search .{10,200}\.$/) })
    },
  )

  it("O8, O10: a missing path is not_found; a bad glob and a path outside name their field", async () => {
    expect(await grep({ pattern: "x", path: "p/nowhere" })).toMatchObject({ kind: "not_found" })
    expect(await grep({ pattern: "x", glob: "{a" })).toMatchObject({ field: "glob" })
    expect(await grep({ pattern: "x", path: "/" })).toMatchObject({ field: "path" })
  })
})
