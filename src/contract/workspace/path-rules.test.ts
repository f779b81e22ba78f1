import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkPath, isInside, requirePath, resolvePath, ToolFailure } from "../index.ts"

const rules = { cwd: "/work/app", roots: ["/work", "/tmp"] }

describe("a path", () => {
  it.each<[string, string]>([
    ["notes.md", "/work/app/notes.md"],
    ["./a//b/./c", "/work/app/a/b/c"],
    ["../other/x", "/work/other/x"],
    ["a/../../..", "/"],
    ["/tmp/x/", "/tmp/x"],
    [".", "/work/app"],
    ["..", "/work"],
    ["/", "/"],
    ["../../../../../etc", "/etc"],
    ["…/ünï code", "/work/app/…/ünï code"],
    ["...", "/work/app/..."],
    ["a\\..\\b", "/work/app/a\\..\\b"],
  ])("O13: %s is %s from /work/app", (path, resolved) => {
    expect(resolvePath("/work/app", path)).toBe(resolved)
  })

  it("O13: resolved is absolute, clean, and resolves to itself", () => {
    const part = fc.constantFrom("a", "b c", ".", "..", "", "...", "x.md")
    const path = fc.array(part, { maxLength: 12 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(path, (written) => {
        const resolved = resolvePath("/work/app", written)
        expect(resolved).toMatch(/^\/$|^(\/(?!\.{1,2}(\/|$))[^/]+)+$/)
        expect(resolvePath("/elsewhere", resolved)).toBe(resolved)
      }),
    )
  })
})

describe("a path is taken", () => {
  it.each(["notes.md", "/tmp", "/work", "../x", "a/../../b", "-rf", "a\nb", "a b", "日本語"])(
    "O13: within the roots: %j",
    (path) => {
      expect(checkPath(path, rules)).toEqual({ ok: true, path: resolvePath(rules.cwd, path) })
      expect(requirePath(path, rules)).toBe(resolvePath(rules.cwd, path))
    },
  )

  it("O13: only from a root on, not from a name that starts like one", () => {
    expect(isInside("/work", "/work")).toBe(true)
    expect(isInside("/work", "/work/a")).toBe(true)
    expect(isInside("/work", "/workshop")).toBe(false)
    expect(isInside("/work", "/")).toBe(false)
    expect(isInside("/", "/anything")).toBe(true)
  })

  it("O13: also when a root is written with a slash at its end", () => {
    expect(isInside("/work/", "/work/a")).toBe(true)
    expect(isInside("/work/", "/work")).toBe(true)
    expect(isInside("/work/", "/workshop")).toBe(false)
  })
})

describe("a path is refused with its reason", () => {
  const long = "The path is too long: at most 255 bytes a name and 4096 in all."
  it.each<[string, string, string]>([
    ["", "empty", "The path is empty."],
    [" \n", "empty", "The path is empty."],
    ["a\0b", "dangerous-character", "The path contains a NUL character."],
    [
      "a\ud800",
      "dangerous-character",
      "The path contains half of a surrogate pair, which no file name can hold.",
    ],
    ["a".repeat(256), "too-long", long],
    ["é".repeat(128), "too-long", long],
    ["abc/".repeat(1025), "too-long", long],
    [
      "../../etc/passwd",
      "traversal",
      'The path climbs out of the workspace with "..". Stay within /work, /tmp.',
    ],
    [
      "/work/../etc",
      "traversal",
      'The path climbs out of the workspace with "..". Stay within /work, /tmp.',
    ],
    ["/etc/passwd", "outside-roots", "The path is outside the workspace. Stay within /work, /tmp."],
    ["/workshop", "outside-roots", "The path is outside the workspace. Stay within /work, /tmp."],
  ])("O13.traversal, O13.character, O13.roots: %j", (path, reason, message) => {
    expect(checkPath(path, rules)).toEqual({ ok: false, reason, message })
    expect(() => requirePath(path, rules, "from")).toThrow(
      expect.objectContaining({
        constructor: ToolFailure,
        kind: "invalid_args",
        message,
        field: "from",
        expected: 'a path within /work, /tmp, such as "notes/today.md"',
      }),
    )
  })

  it.each(["a".repeat(255), "é".repeat(127), "abc/".repeat(1024)])(
    "O13: but not when it just fits",
    (path) => {
      expect(checkPath(path, rules).ok).toBe(true)
    },
  )

  it("O13: whatever is taken lies within the roots", () => {
    const part = fc.oneof(fc.constantFrom("..", ".", "", "work", "tmp", "etc", "app"), fc.string())
    const path = fc.array(part, { maxLength: 8 }).map((parts) => parts.join("/"))
    fc.assert(
      fc.property(path, (written) => {
        const verdict = checkPath(written, rules)
        if (verdict.ok) expect(verdict.path).toMatch(/^\/(work|tmp)(\/|$)/)
      }),
    )
  })
})
