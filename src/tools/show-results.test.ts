import { describe, expect, it } from "vitest"
import { showResult } from "../contract/index.ts"
import { catalogue } from "./catalogue.ts"

const artifact = {
  id: "artifact_1",
  filename: "a.png",
  mime_type: "image/png",
  size: 9,
  path: "/x/a.png",
}
const picture = "a.png (image/png, 9 bytes): /x/a.png"
const tools = new Map(catalogue().map((tool) => [tool.name, tool]))

describe("a result for people", () => {
  it.each<[string, object, string]>([
    [
      "shell.exec",
      { kind: "command", stdout: "out\n", stderr: "err\n", exit_code: 3 },
      "out\nerr\n[exit code 3]",
    ],
    ["shell.exec", { kind: "command", stdout: "out\n", stderr: "", exit_code: 0 }, "out"],
    [
      "shell.exec",
      { kind: "command", stdout: "", stderr: "", exit_code: 143, killed_by: "user" },
      "[exit code 143]\n[ended by the user]",
    ],
    ["code.run", { kind: "code", stdout: "out\n", stderr: "", exit_code: 1 }, "out\n[exit code 1]"],
    [
      "file.read",
      { kind: "file", path: "a", text: "one\n", truncated: true, size: 99 },
      "one\n[cut: 99 bytes in all]",
    ],
    [
      "file.list",
      {
        kind: "listing",
        path: "src",
        entries: [{ path: "src/a", type: "directory" }],
        entry_count: 1,
      },
      "src/a/\n1 entries in src",
    ],
    ["file.glob", { kind: "search", files: ["a", "b"], truncated: true }, "a\nb\n[there are more]"],
    [
      "file.grep",
      {
        kind: "search",
        matches: [{ path: "a", line: 2, text: "two", before: ["one"], after: [] }],
      },
      "a-1- one\na:2: two",
    ],
    [
      "web.search",
      { kind: "search", results: [{ title: "T", url: "http://x/", snippet: "s" }] },
      "T http://x/\n  s",
    ],
    ["memory.search", { kind: "search", results: [{ namespace: "n", snippet: "s" }] }, "n\n  s"],
    ["file.write", { kind: "write", path: "a", bytes_written: 3 }, "Wrote 3 bytes to a."],
    ["file.patch", { kind: "patch", files: [{ path: "a", change: "added" }] }, "added: a"],
    [
      "process.status",
      { kind: "process", pid: 7, command: "x", state: "exited", exit_code: 1, log_file: "/l" },
      "Process 7 (x): exited with exit code 1; its output is in /l",
    ],
    [
      "process.output",
      { kind: "output", text: "a\n", state: "running", next_offset: 2 },
      "a\n[running; next_offset 2]",
    ],
    [
      "web.fetch",
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
    [
      "browser.snapshot",
      { kind: "page", url: "http://x/", title: "", tree: "- heading" },
      "http://x/\n- heading",
    ],
    ["browser.screenshot", { kind: "image", width: 2, height: 3, artifact }, `2 × 3\n${picture}`],
    ["artifact.share", { kind: "artifact", artifact }, picture],
    ["memory.delete", { kind: "memory", namespace: "n", deleted: 2 }, "Deleted 2 entries of n."],
    [
      "sandbox.create",
      { kind: "sandbox", sandbox: "a", image: "host", created: false },
      "a (host) already existed.",
    ],
    ["sandbox.destroy", { kind: "sandbox", sandbox: "a", destroyed: true }, "Destroyed a."],
    ["sandbox.transfer", { kind: "transfer", bytes: 7 }, "Copied 7 bytes."],
    ["browser.evaluate", { kind: "value", value: { a: 1 } }, '{\n  "a": 1\n}'],
    ["system.info", { kind: "system", n: 1 }, '{"kind":"system","n":1}'],
  ])("O3: of %s, %j reads well", (name, result, text) => {
    expect(showResult(tools.get(name), result)).toBe(text)
  })

  it("O3: is its own text or JSON where no tool shows it, and never throws for a strange one", () => {
    expect(showResult(undefined, { text: "plain" })).toBe("plain")
    expect(showResult(undefined, "text")).toBe("text")
    expect(showResult(undefined, [1])).toBe("[1]")
    expect(showResult(undefined, null)).toBe("null")
    expect(showResult(tools.get("file.grep"), { matches: 4 })).toBe('{"matches":4}')
  })

  it("O24: leaves out what was shown while the call ran", () => {
    const result = { kind: "command", stdout: "out", stderr: "", exit_code: 3 }
    const view = { outputShown: true, endShown: true }
    expect(showResult(tools.get("shell.exec"), result, view)).toBe("")
  })
})
