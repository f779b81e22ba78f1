import { matchesGlob } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { parseGlob } from "./glob-pattern.ts"

function matching(pattern: string, paths: readonly string[], hidden = false): readonly string[] {
  const verdict = parseGlob(pattern, { hidden })
  if (!verdict.ok) throw new Error(verdict.problem)
  return paths.filter((path) => verdict.glob.matches(path))
}

const tree = [
  "a.ts",
  "src/b.ts",
  "src/deep/c.ts",
  "src/deep/d.js",
  ".env",
  ".github/ci.yml",
  "src/.cache/e.ts",
  "[x].ts",
  "-dash.ts",
  "new\nline.ts",
  "é😀.ts",
]

it.each([
  ["*.ts", ["a.ts", "src/b.ts", "src/deep/c.ts", "[x].ts", "-dash.ts", "new\nline.ts", "é😀.ts"]],
  ["./*.ts", ["a.ts", "[x].ts", "-dash.ts", "new\nline.ts", "é😀.ts"]],
  ["/a.ts", ["a.ts"]],
  ["src/*.ts", ["src/b.ts"]],
  ["src/**/*.ts", ["src/b.ts", "src/deep/c.ts"]],
  ["**/*.{js,yml}", ["src/deep/d.js"]],
  ["src/**", ["src/b.ts", "src/deep/c.ts", "src/deep/d.js"]],
  ["src/", ["src/b.ts", "src/deep/c.ts", "src/deep/d.js"]],
  ["**/deep/?.[j-t]s", ["src/deep/c.ts", "src/deep/d.js"]],
  ["[!a-z-]?.ts", ["é😀.ts"]],
  ["\\[x\\].ts", ["[x].ts"]],
  ["{src/{b,none},a}.ts", ["a.ts", "src/b.ts"]],
  [".env", [".env"]],
  [".github/**", [".github/ci.yml"]],
  ["src/.cache/*.ts", ["src/.cache/e.ts"]],
  ["**/**/c.ts", ["src/deep/c.ts"]],
  ["**/src/**/.cache/e.ts", ["src/.cache/e.ts"]],
  ["deep/c.ts", []],
])("F6: the glob %s chooses the files that its words say", (pattern, expected) => {
  expect(matching(pattern, tree)).toEqual(tree.filter((path) => expected.includes(path)))
})

it("F6: wildcards see hidden names only when told to", () => {
  expect(matching("**", [".env", "a/.b/c", "a/b"])).toEqual(["a/b"])
  expect(matching("**", [".env", "a/.b/c", "a/b"], true)).toEqual([".env", "a/.b/c", "a/b"])
})

it.each([
  ["[", 'it has a "[" without its "]"'],
  ["src/{a,b", 'it has a "{" without its "}"'],
  ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "its braces stand for too many patterns"],
])("O8: the glob %s is refused with what is wrong with it", (pattern, problem) => {
  expect(parseGlob(pattern, { hidden: false })).toEqual({ ok: false, problem })
})

it("F6: a glob made of stars takes no longer on a name made to match almost", () => {
  const name = `${"a".repeat(250)}c`
  const started = performance.now()
  expect(matching(`${"*a".repeat(100)}b`, Array(1000).fill(name))).toEqual([])
  expect(performance.now() - started).toBeLessThan(60_000)
})

it("F6: any text is a glob or refused, and a name without magic matches itself", () => {
  const unit = fc.constantFrom(..."ab*?[]{},!^-/.\\é😀\n ")
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      const verdict = parseGlob(text, { hidden: true })
      if (!verdict.ok) return
      verdict.glob.matches(text)
      const plain = !/[\\*?[\]{}]|^$|\/|^\.\.?$/.test(text)
      if (plain) expect(verdict.glob.matches(text)).toBe(true)
    }),
  )
})

it("F6: agrees with Node's own globs wherever both have the same rules", () => {
  const magic = ["**", "*", "?", "a", ".a", "*b", "a?b", "[ab]", "[!a]", "{a,b*}c", "*.ts", "a*b*"]
  const names = ["a", "b", "ab", "aab", ".a", "ac", "a.ts", "abab"]
  const pattern = fc.array(fc.constantFrom(...magic), { minLength: 2, maxLength: 5 })
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(pattern, path, (segments, parts) => {
      // Node finds no hidden name after a second "**": it says that **/a/**/.a does not match a/.a.
      fc.pre(!/\*\*.*\*\*.*\.a/.test(segments.join("/")))
      const [glob, file] = [segments.join("/"), parts.join("/")]
      expect(matching(glob, [file])).toEqual(matchesGlob(file, glob) ? [file] : [])
    }),
    { numRuns: 2_000 },
  )
})
