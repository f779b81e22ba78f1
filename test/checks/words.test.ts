import { describe, expect, it } from "vitest"
import { readDocuments, readSources } from "../../scripts/repository.ts"
import { wordProblems } from "../../scripts/words/word-problems.ts"

const problemsOf = (files: Record<string, string>) =>
  wordProblems(new Map(Object.entries(files))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  )

const templateOf = (expression: string) => `\`door \${${expression}} door\``

describe("the word check", () => {
  it("finds nothing wrong in this repository", async () => {
    const sources = await readSources()
    const documents = await readDocuments()
    expect(sources.size).toBeGreaterThan(20)
    expect([...documents.keys()]).toContain("docs/policy.md")
    expect(wordProblems(new Map([...sources, ...documents]))).toEqual([])
  })

  it.each([
    ["type", "interface PoolWish {}", "PoolWish", "Wish", "Request"],
    ["type without another word", "type Parts = {}", "Parts", "Parts", "Deps or Options"],
    ["type import", 'import type { HostMeans } from "x"', "HostMeans", "Means", "Deps or Options"],
    ["type argument", "open<TestGround>()", "TestGround", "Ground", "Deps or Options"],
    ["variable", "const usual = 1", "usual", "usual", "default"],
    ["parameter", "(usualPort: number) => 1", "usualPort", "usual", "default"],
    ["private field", "class A { #usual = 1 }", "usual", "usual", "default"],
    ["name in a template", templateOf("usual"), "usual", "usual", "default"],
    ["name after a regular expression", "/`/.test(asker)", "asker", "asker", "Caller"],
    ["class", "class Misuse {}", "Misuse", "misuse", "UsageError"],
    ["function", "function openDoors() {}", "openDoors", "door", "proxy socket"],
    ["property", "a.insideRunPath", "insideRunPath", "insideRun", "run script"],
  ])("catches a retired word in the name of a %s", (_kind, source, name, word, instead) => {
    expect(problemsOf({ "src/a.ts": `\n${source}` })).toEqual([
      `src/a.ts:2: ${name}: instead of "${word}" write ${instead}`,
    ])
  })

  it("catches a retired word in the name of a file and of a folder", () => {
    expect(problemsOf({ "src/lender/usual-port.test.ts": "", "src/own-parts.ts": "" })).toEqual([
      'src/lender/usual-port.test.ts:1: lender: instead of "lender" write injected programs',
      'src/lender/usual-port.test.ts:1: usual-port.test.ts: instead of "usual" write default',
      'src/own-parts.ts:1: own-parts.ts: instead of "Parts" write Deps or Options',
    ])
  })

  it.each([
    ["a line comment", "f() // The usual port.", "usual", "default"],
    ["a comment at the end", "// Started anew.", "anew", "again"],
    [
      "a comment with a break in the phrase",
      "/** Models are told\n * of it. */",
      "told of",
      "shown, offered or informed about",
    ],
    ["a comment inside a template", templateOf("1 /* Usual. */"), "usual", "default"],
    ["several line comments", "// It lets\n// through what fits.", "lets through", "allows"],
  ])("catches a retired phrase in %s", (_kind, source, word, instead) => {
    expect(problemsOf({ "src/a.ts": `\n${source}` })).toEqual([
      `src/a.ts:2: instead of "${word}" write ${instead}`,
    ])
  })

  it("catches a retired phrase in a document, but not in its code", () => {
    const text =
      "# Ports\n\n`usual` is anew\nthe usual port.\n\n```yaml\nusual: anew\n```\n\nAnew.\n"
    expect(problemsOf({ "docs/ports.md": text })).toEqual([
      'docs/ports.md:3: instead of "anew" write again',
      'docs/ports.md:4: instead of "usual" write default',
      'docs/ports.md:10: instead of "anew" write again',
    ])
  })

  it.each([
    ["a string", "fail('Ask anew.')", "anew", "again"],
    ["a template", templateOf("1").replace(" door", " the usual"), "usual", "default"],
    [
      "a denial",
      templateOf("1").replace(" door", " is no port"),
      "is no",
      '"is not a"; "there is no" is fine',
    ],
    ["an origin", 'f("What it is made of.")', "made of", "made from or created from"],
    ["a number", 'f("At most so many.")', "so many", "this many"],
    ["a wish", 'f("It is to be removed.")', "is to be", "what happens: is, must, will"],
    ["a subject", 'f("Stop. Who asks is told.")', "who", "the noun: the client who"],
  ])("catches a retired phrase in %s of a message", (_kind, source, word, instead) => {
    expect(problemsOf({ "src/a.ts": `\n${source}`, "src/a.test.ts": source })).toEqual([
      `src/a.ts:2: instead of "${word}" write ${instead}`,
    ])
  })

  it.each([
    ["names in strings", "const a = [`Asker`, 'doors']"],
    ["what there is not", 'f("There is no tool; it is no longer here, ask who")'],
    ["regular expressions", "const a = /usual|Asker/"],
    ["longer words in comments", "// Unusual, and usually renewed."],
    ["longer words in names", "unusual(isUnusual, Doorway, indoor, Background, usually)"],
    ["functions that count parts", "countParts(schemaParts)"],
    ["code in comments", "// A server answers `usual`."],
    ["words of two comments", "// told\nf()\n// of"],
  ])("leaves %s alone", (_kind, source) => {
    expect(problemsOf({ "src/background.ts": source })).toEqual([])
  })
})
