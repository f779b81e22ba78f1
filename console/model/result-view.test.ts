import { describe, expect, it } from "vitest"
import type { Envelope } from "../../src/contract/envelope/envelope.ts"
import { effectLines, effectNotes, leftText } from "./effects-view.ts"
import { languageOf } from "./language-of.ts"
import { countDiff, parseDiff } from "./parse-diff.ts"
import { resultView } from "./result-view.ts"
import { safeLink } from "./safe-link.ts"

const answered = (result: unknown): Envelope => ({ ok: true, tool: "x", result })
const artifact = { id: "a1", filename: "x.svg", mime_type: "image/svg+xml", size: 9, path: "/x" }

describe("a result by its kind", () => {
  it.each([
    ["command", { kind: "command", stdout: "", stderr: "", exit_code: 0 }],
    ["command", { kind: "code", stdout: "", stderr: "", exit_code: 0, text: "1" }],
    ["listing", { kind: "listing", path: ".", entries: [] }],
    ["file", { kind: "file", path: "a.ts", text: "const a = 1" }],
    ["json", { kind: "file", path: "a.bin", base64: "AA==" }],
    ["diff", { kind: "edit", path: "a", diff: "@@ -1 +1 @@\n-a\n+b\n" }],
    ["json", { kind: "edit", path: "a", replacements: 9 }],
    ["matches", { kind: "search", files: ["a"] }],
    ["matches", { kind: "search", matches: [{ path: "a", line: 1, text: "x" }] }],
    ["json", { kind: "search", query: "x", results: [] }],
    ["picture", { kind: "chart", artifact }],
    ["picture", { kind: "image", artifact: { ...artifact, mime_type: "image/png" } }],
    ["artifact", { kind: "artifact", artifact: { ...artifact, mime_type: "text/html" } }],
    ["page", { kind: "page", url: "https://example.com/", title: "Example" }],
    ["text", "plain"],
    ["json", { kind: "of another author" }],
    ["facts", { kind: "write", path: "a.txt", bytes_written: 80, created: true }],
    ["json", { kind: "write", path: "a.txt", lines: [1] }],
    ["json", null],
  ])("O4: is shown as %s", (kind, result) => {
    expect(resultView(answered(result), {}).kind).toBe(kind)
  })

  it("O4: a patch is shown as it was sent, a failure with its kind and field", () => {
    const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    expect(resultView(answered({ kind: "patch", file_count: 1 }), { patch })).toMatchObject({
      ...{ kind: "diff", diff: patch, about: "1 file" },
    })
    const failure: Envelope = {
      ...{ ok: false, tool: "x", kind: "invalid_args", message: "No.", field: "path" },
      retryable: true,
    }
    expect(resultView(failure, {})).toEqual({ kind: "failure", failure })
  })

  it("O34: what was left out of a command's output is counted", () => {
    const stdout = "a\n[... 12 bytes left out ...]\nb"
    const stderr = "a\n[... 30 bytes left out ...]\nb"
    const result = { kind: "command", stdout, stderr, exit_code: 0 }
    expect(resultView(answered(result), {})).toMatchObject({ bytesCut: 42 })
  })

  it("O4: a listing becomes a tree, whatever order its directories have", () => {
    const entry = (path: string, type: string) => ({ name: path.split("/").at(-1), path, type })
    const entries = [
      ...[entry("src", "directory"), entry("a", "file"), entry("src/b", "directory")],
      ...[entry("src/b/c", "file"), entry("other/d", "file")],
    ]
    expect(resultView(answered({ kind: "listing", path: ".", entries }), {})).toMatchObject({
      count: 5,
      tree: [
        { name: "src", children: [{ name: "b", children: [{ name: "c" }] }] },
        { name: "a", children: [] },
        { name: "d", children: [] },
      ],
    })
  })

  it("O4: a diff has the numbers of its lines, and dashes within it are removed lines", () => {
    const lines = parseDiff("--- x\n+++ x\n@@ -3,2 +7,2 @@\n same\n--- not a head\n+new\n")
    expect(lines.map(({ kind }) => kind)).toEqual([
      ...["file", "file", "hunk", "same", "removed", "added"],
    ])
    expect(lines.at(-1)).toEqual({ kind: "added", text: "+new", before: null, after: 8 })
    expect(countDiff(lines)).toEqual({ added: 1, removed: 1 })
  })

  it("X4: a link leads only to the web or to mail, and says where", () => {
    expect(safeLink("https://example.com/a")?.place).toBe("example.com")
    expect(safeLink("mailto:a@example.com")?.place).toBe("a@example.com")
    const refused = [
      "javascript:alert(1)",
      "data:text/html,x",
      "//x",
      "file:///etc",
      "blob:x",
      "/a",
    ]
    for (const address of [...refused, "https://bank.com@evil.com/"]) {
      expect(safeLink(address)).toBeNull()
    }
  })

  it("O4: code has the colours of its ending, and none of an unknown one", () => {
    expect(languageOf("src/a.test.tsx")).toBe("typescript")
    expect(languageOf("constructor")).toBeNull()
  })

  it("O24: what a call did is a fact or says why it is not known", () => {
    for (const { fact } of effectLines(null)) {
      expect(fact).toEqual({ kind: "unknown", because: "nobody looked at it" })
    }
    const listed = { count: 3, first: [{ path: "a", bytes: 1 }] }
    const lines = effectLines({
      files: { created: listed, changed: { count: 0, first: [] }, removed: { unknown: "why" } },
      network: { unknown: "no log" },
      memory: { peak: 1024 * 1024 },
    })
    expect(lines.slice(0, 4).map(({ fact }) => fact)).toEqual([
      {
        kind: "known",
        text: "3",
        items: [
          { text: "a (1 bytes)", path: null },
          { text: "and 2 more", path: null },
        ],
      },
      { kind: "known", text: "none", items: [] },
      { kind: "unknown", because: "why" },
      { kind: "unknown", because: "no log" },
    ])
    expect(effectNotes({ shared: ["call-2"], files: { incomplete: "too many" } })).toHaveLength(2)
  })

  it("O25: of a call that was ended, it is said what is left of it", () => {
    const left = (processes: unknown) => leftText({ processes })
    expect(left({ count: 0, first: [] })).toBe("Nothing of it runs any more.")
    const first = [{ pid: 7, command: "sleep 9" }]
    expect(left({ count: 2, first })).toBe("Still running: 7 sleep 9; and 1 more")
    expect(left({ unknown: "it sleeps" })).toContain("not known, because it sleeps")
    expect(leftText(null)).toContain("nobody looked")
  })
})
