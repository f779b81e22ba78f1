import { describe, expect, it } from "vitest"
import { readableResult } from "./readable-result.ts"

const artifact = {
  id: "artifact_1",
  filename: "a.png",
  mime_type: "image/png",
  size: 9,
  path: "/x/a.png",
}
const picture = "a.png (image/png, 9 bytes): /x/a.png"

describe("a result for people", () => {
  it.each<[object, string]>([
    [
      { kind: "command", stdout: "out\n", stderr: "err\n", exit_code: 3 },
      "out\nerr\n[exit code 3]",
    ],
    [{ kind: "command", stdout: "out\n", stderr: "", exit_code: 0 }, "out"],
    [
      { kind: "command", stdout: "", stderr: "", exit_code: 143, killed_by: "user" },
      "[exit code 143]\n[ended by the user]",
    ],
    [
      { kind: "file", path: "a", text: "one\n", truncated: true, size: 99 },
      "one\n[cut: 99 bytes in all]",
    ],
    [
      {
        kind: "listing",
        path: "src",
        entries: [{ path: "src/a", type: "directory" }],
        entry_count: 1,
      },
      "src/a/\n1 entries in src",
    ],
    [{ kind: "search", files: ["a", "b"], truncated: true }, "a\nb\n[there are more]"],
    [
      {
        kind: "search",
        matches: [{ path: "a", line: 2, text: "two", before: ["one"], after: [] }],
      },
      "a-1- one\na:2: two",
    ],
    [
      { kind: "search", results: [{ title: "T", url: "http://x/", snippet: "s" }] },
      "T http://x/\n  s",
    ],
    [{ kind: "search", results: [{ namespace: "n", snippet: "s" }] }, "n\n  s"],
    [{ kind: "write", path: "a", bytes_written: 3 }, "Wrote 3 bytes to a."],
    [{ kind: "patch", files: [{ path: "a", change: "added" }] }, "added: a"],
    [
      { kind: "process", pid: 7, command: "x", state: "exited", exit_code: 1, log_file: "/l" },
      "Process 7 (x): exited with exit code 1; its output is in /l",
    ],
    [
      {
        kind: "page",
        status: 200,
        title: "T",
        final_url: "http://x/",
        text: "# T",
        truncated: true,
      },
      "200 · T · http://x/\n# T\n[cut]",
    ],
    [{ kind: "page", url: "http://x/", title: "", tree: "- heading" }, "http://x/\n- heading"],
    [{ kind: "image", width: 2, height: 3, text: "", artifact }, `2 × 3\n${picture}`],
    [{ kind: "artifact", artifact }, picture],
    [{ kind: "memory", namespace: "n", deleted: 2 }, "Forgot 2 of n."],
    [
      { kind: "sandbox", sandbox: "a", image: "host", created: false },
      "a (host) is there already.",
    ],
    [{ kind: "sandbox", sandbox: "a", destroyed: true }, "Destroyed a."],
    [{ kind: "value", value: { a: 1 } }, '{\n  "a": 1\n}'],
    [{ kind: "anything", n: 1 }, '{"kind":"anything","n":1}'],
    [{ text: "plain" }, "plain"],
  ])("O3: %j reads well", (result, text) => {
    expect(readableResult(result)).toBe(text)
  })

  it("is JSON where it is no object, and never throws for a strange one", () => {
    expect(readableResult("text")).toBe("text")
    expect(readableResult([1])).toBe("[1]")
    expect(readableResult(null)).toBe("null")
    expect(readableResult({ kind: "search", matches: [null, 3], files: 4 })).toBe("")
    expect(readableResult({ kind: "constructor" })).toBe('{"kind":"constructor"}')
  })
})
