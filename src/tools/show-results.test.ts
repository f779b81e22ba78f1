import { describe, expect, it } from "vitest"
import { type JsonSchema, showResult, type Tool } from "../contract/index.ts"
import { catalogue } from "./catalogue.ts"

const artifact = {
  id: "artifact_1",
  filename: "a.png",
  mime_type: "image/png",
  size: 9,
  path: "/x/a.png",
}
const picture = "Saved for the person: a.png (image/png, 9 bytes): /x/a.png"
const tools = new Map(catalogue().map((tool) => [tool.name, tool]))
const described = { image: "host", status: "running", network: "none", sleep_after_ms: 5 }
const command = { kind: "command", stdout: "", stderr: "", exit_code: 0 }
const file = { kind: "file", path: "a", encoding: "utf8", size: 9, offset: 0, bytes: 9 }

describe("a result for people and models", () => {
  it.each<[string, object, string]>([
    [
      "shell.exec",
      { ...command, stdout: "out\n", stderr: "err\n", exit_code: 3 },
      "[stdout]\nout\n[stderr]\nerr\n[exit code 3]",
    ],
    ["shell.exec", { ...command, stdout: "out\n" }, "out"],
    ["shell.exec", { ...command, stderr: "err\n" }, "[stderr]\nerr"],
    ["shell.exec", command, "No output."],
    [
      "shell.exec",
      { ...command, exit_code: 143, killed_by: "user" },
      "No output.\n[exit code 143]\n[ended by the user]",
    ],
    ["code.run", { ...command, kind: "code", stdout: "out\n", exit_code: 1 }, "out\n[exit code 1]"],
    ["code.run", { ...command, kind: "code" }, "No output."],
    ["file.read", { ...file, text: "one\ntwo 89", truncated: false }, "one\ntwo 89"],
    [
      "file.read",
      {
        ...{ ...file, size: 99, text: "one\ntwo 8\n", truncated: true },
        ...{ start_line: 1, end_line: 2, next_start_line: 3, next_offset: 9 },
      },
      "one\ntwo 8\n[lines 1 to 2; bytes 0 to 9 of 99; less than was asked for; next_start_line 3; next_offset 9]",
    ],
    [
      "file.read",
      { ...file, encoding: "base64", base64: "AAEC", truncated: false },
      "AAEC\n[base64; bytes 0 to 9 of 9]",
    ],
    ["file.read", { ...file, size: 0, bytes: 0, text: "", truncated: false }, "[empty file]"],
    [
      "file.list",
      {
        kind: "listing",
        path: "src",
        entries: [
          { path: "src/a", type: "directory" },
          { path: "src/b", type: "symlink" },
        ],
        entry_count: 2,
      },
      "src/a/\nsrc/b (symlink)\n2 entries in src",
    ],
    [
      "file.glob",
      { kind: "search", files: ["a", "b"], truncated: true },
      "a\nb\n[there are more: search for less, or raise limit]",
    ],
    ["file.glob", { kind: "search", files: [], truncated: false }, "No matches."],
    [
      "file.grep",
      {
        kind: "search",
        matches: [{ path: "a", line: 2, text: "two", before: ["one"], after: [] }],
      },
      "a-1- one\na:2: two",
    ],
    ["file.grep", { kind: "search", matches: [], truncated: false }, "No matches."],
    [
      "web.search",
      { kind: "search", results: [{ title: "T", url: "http://x/", snippet: "s" }] },
      "T http://x/\n  s",
    ],
    ["web.search", { kind: "search", results: [] }, "No matches."],
    ["memory.search", { kind: "search", results: [] }, "No matches."],
    ["memory.list", { kind: "namespaces", namespaces: [], namespace_count: 0 }, "No matches."],
    ["process.list", { kind: "processes", processes: [] }, "No background processes."],
    [
      "memory.read",
      {
        kind: "memory",
        entries: [{ id: "memory_1", content: "tea", updated: "2026" }],
        entry_count: 7,
        next_offset: 1,
      },
      "memory_1 (2026): tea\n[7 entries in all; next_offset 1]",
    ],
    [
      "file.write",
      { kind: "write", path: "a", bytes_written: 3, size: 3, created: true },
      "Wrote 3 bytes to a, a new file.",
    ],
    [
      "file.write",
      { kind: "write", path: "a", bytes_written: 3, size: 8, created: false },
      "Wrote 3 bytes to a, which now has 8.",
    ],
    [
      "file.patch",
      {
        kind: "patch",
        files: [{ path: "a", change: "added", lines_added: 2, lines_removed: 0 }],
        file_count: 1,
      },
      "added: a, +2 -0",
    ],
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
      "process.output",
      { kind: "output", text: "", state: "exited", exit_code: 0, next_offset: 0 },
      "No output.\n[exited with exit code 0; next_offset 0]",
    ],
    [
      "web.fetch",
      {
        ...{ kind: "page", status: 200, status_text: "OK", title: "T", final_url: "http://x/" },
        ...{ content_type: "text/html", text: "# T", truncated: true, bytes: 5 },
      },
      "200 OK · T · http://x/ · text/html\n# T\n[cut: 5 bytes were read]",
    ],
    [
      "web.fetch",
      { kind: "page", status: 204, final_url: "http://x/", text: "" },
      "204 · http://x/\nNo text.",
    ],
    [
      "browser.snapshot",
      { kind: "page", url: "http://x/", title: "", tree: "- heading" },
      "http://x/\n- heading",
    ],
    [
      "browser.screenshot",
      { kind: "image", url: "http://x/", title: "T", width: 2, height: 3, artifact },
      `T http://x/, 2 × 3\n${picture}`,
    ],
    ["artifact.share", { kind: "artifact", artifact }, picture],
    [
      "memory.delete",
      { kind: "memory", namespace: "n", deleted: 2, entry_count: 1 },
      "Deleted 2 entries of n; 1 are left.",
    ],
    [
      "sandbox.create",
      { kind: "sandbox", sandbox: "a", created: false, ...described },
      "a already existed: image host, running, network none, sleeps after 5 ms.",
    ],
    ["sandbox.list", { kind: "sandboxes", sandboxes: [] }, "No sandbox was used yet."],
    ["sandbox.destroy", { kind: "sandbox", sandbox: "a", destroyed: true }, "Destroyed a."],
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
    expect(showResult(tools.get("file.grep"), { matches: null })).toBe('{"matches":null}')
  })

  it("O24: leaves out what was shown while the call ran", () => {
    const result = { ...command, stdout: "out", exit_code: 3 }
    const view = { outputShown: true, endShown: true }
    expect(showResult(tools.get("shell.exec"), result, view)).toBe("")
  })

  it("O34: of two long streams, both have room", () => {
    const long = { ...command, stdout: "o".repeat(49_000), stderr: "e".repeat(49_000) }
    const text = showResult(tools.get("shell.exec"), long)
    expect(text).toMatch(
      /^\[stdout\]\no+\n\[\.\.\. \d+ bytes left out \.\.\.\]\no+\n\[stderr\]\ne+/,
    )
    expect(text.length).toBeLessThan(50_000)
  })
})

/** Fields that a text leaves out: what every call says itself, and what follows from the rest. */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  "*": ["kind", "path", "pattern", "query", "encoding", "namespace", "url", "mode", "id"],
  "shell.exec": ["cwd", "duration_ms", "timed_out", "started", "background"],
  "code.run": ["cwd", "duration_ms", "timed_out", "language", "text", "error"],
  "file.read": ["bytes", "base64", "entries[].name", "entries[].type"],
  "file.list": ["entries[].name", "entries[].type"],
  "file.edit": ["replacements"],
  "file.patch": ["files[].hunks", "file_count"],
  "file.glob": ["count", "truncated"],
  "file.grep": ["match_count", "file_count"],
  "file.write": ["size"],
  "process.start": ["cwd", "started"],
  "process.status": ["cwd", "started"],
  "process.wait": ["cwd", "started", "timed_out"],
  "process.kill": ["cwd", "started"],
  "process.write": ["cwd", "started"],
  "process.list": ["processes[].cwd", "processes[].started", "count"],
  "process.output": ["pid", "offset"],
  "sandbox.fork": ["created"],
  "sandbox.browse": ["port", "sandbox"],
  "web.fetch": ["format"],
  "web.search": ["provider", "result_count"],
  "memory.read": ["text", "entries[].created"],
  "memory.write": ["bytes"],
  "memory.search": ["result_count"],
  "browser.snapshot": ["plain", "omitted_bytes"],
  "browser.evaluate": ["cut"],
  "audio.transcribe": ["text"],
}

interface Leaf {
  readonly path: string
  /** What has to be in the text; null where a word of the text's own says it. */
  readonly mark: string | null
}

/** A result with every field that its schema allows, each with a value of its own. */
function fullResults(schema: JsonSchema): { readonly value: unknown; readonly leaves: Leaf[] }[] {
  const branches = schema.oneOf ?? schema.anyOf
  if (branches) return branches.flatMap(fullResults)
  const leaves: Leaf[] = []
  let number = 1_000
  const fill = (part: JsonSchema, path: string): unknown => {
    const leaf = <Value>(value: Value, mark: string | null): Value => {
      leaves.push({ path, mark })
      return value
    }
    if (part.const !== undefined) return leaf(part.const, null)
    if (part.enum) return leaf(part.enum.at(-1), null)
    const type = [part.type].flat()[0]
    if (type === "boolean") return leaf(true, null)
    if (type === "integer" || type === "number") {
      number += 1
      return leaf(number, String(number))
    }
    if (type === "array") return [fill((part.items ?? {}) as JsonSchema, `${path}[]`)]
    if (type === "object" && part.properties) {
      const inner = Object.entries(part.properties)
      const name = (key: string) => (path === "" ? key : `${path}.${key}`)
      return Object.fromEntries(inner.map(([key, one]) => [key, fill(one, name(key))]))
    }
    const mark = `‹${path}›`
    return leaf(type === "object" ? { [mark]: mark } : mark, mark)
  }
  return [{ value: fill(schema, ""), leaves }]
}

describe.each(catalogue())("the text of $name", (tool: Tool) => {
  it("F20, O3: alone has everything that the result has", () => {
    const left = [...(unsaid["*"] ?? []), ...(unsaid[tool.name] ?? [])]
    const isUnsaid = (path: string) =>
      left.some((one) => path === one || path.endsWith(`.${one}`) || path === `${one}[]`)
    for (const { value, leaves } of fullResults(tool.outputSchema ?? {})) {
      const text = showResult(tool, value)
      const missing = leaves
        .filter(({ path, mark }) => mark !== null && !isUnsaid(path) && !text.includes(mark))
        .map(({ path }) => path)
      expect(missing).toEqual([])
    }
  })

  it("F20: says what it has nothing of, and is never empty", () => {
    for (const { value } of fullResults(tool.outputSchema ?? {})) {
      const nothing = JSON.parse(
        JSON.stringify(value, (key, part) => {
          if (Array.isArray(part)) return []
          return typeof part === "string" && part.startsWith("‹") && key !== "url" ? "" : part
        }),
      )
      const text = showResult(tool, nothing)
      expect(text.trim()).not.toBe("")
      expect(text).not.toContain("undefined")
    }
  })
})
