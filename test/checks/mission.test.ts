import { describe, expect, it } from "vitest"
import { readRepositoryFile, repositoryFiles } from "../../scripts/repository.ts"
import { findTests } from "./find-tests.ts"
import { deliveredItems, missionItems } from "./mission.ts"
import { missionProblems } from "./mission-problems.ts"

const testsOfThisRepository = readTests()

async function readTests() {
  const [beside, across] = await Promise.all(
    ["src", "test"].map((folder) => repositoryFiles(folder, ".test.ts")),
  )
  const files = [...(beside ?? []), ...(across ?? [])]
  const found = await Promise.all(
    files.map(async (file) => findTests(file, await readRepositoryFile(file))),
  )
  return found.flat()
}

const citing = (source: string) => findTests("some.test.ts", source)

describe("the mission check", () => {
  it("finds a test for every delivered item, and an item for every cited id", async () => {
    const tests = await testsOfThisRepository
    expect(missionProblems({ items: missionItems, delivered: deliveredItems, tests })).toEqual([])
  })

  it("knows every item of the mission", () => {
    const counts = { F: 21, O: 35, C: 20, R: 12, Y: 17, X: 12 }
    const ids = Object.entries(counts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
    )
    expect(Object.keys(missionItems)).toEqual(ids)
    expect(new Set(deliveredItems).size).toBe(deliveredItems.length)
  })

  it("fails for a delivered item that no test cites", () => {
    const items = { Q1: "an invented item", Q2: "another" }
    const tests = citing('it("Q2: is proved", () => {}); it("speaks of Q1: in passing", () => {})')
    expect(missionProblems({ items, delivered: ["Q1", "Q2"], tests })).toEqual([
      "Q1 (an invented item): no test cites it",
    ])
  })

  it("fails for a clause of a delivered item that no test cites, and for a clause that does not exist", () => {
    const items = { Q1: { yes: "a clause", no: "another" } }
    const tests = citing('it("Q1, Q1.yes, Q1.maybe: is proved", () => {})')
    expect(missionProblems({ items, delivered: ["Q1"], tests })).toEqual([
      "some.test.ts:1: no mission item is Q1.maybe",
      "Q1.no (another): no test cites it",
    ])
  })

  it("fails for a cited id that is no item", () => {
    const tests = citing('\nit("Q1, Q9: is proved", () => {})')
    expect(missionProblems({ items: { Q1: "an item" }, delivered: ["Q1"], tests })).toEqual([
      "some.test.ts:2: no mission item is Q9",
    ])
  })

  it("fails for a title that only looks like a list of ids", () => {
    const tests = citing('it("O1–O3: a range", () => {}); it("O1 without a colon", () => {})')
    expect(missionProblems({ items: missionItems, delivered: [], tests })).toEqual([
      'some.test.ts:1: starts like an id, but is no list of ids: "O1–O3: a range"',
      'some.test.ts:1: starts like an id, but is no list of ids: "O1 without a colon"',
    ])
  })

  it("reads the titles of every form of test, and of nothing else", () => {
    const source = `
      describe("A1: one", () => {
        it.each([[1]])("A2 & A3, A4: two %s", () => {})
        test.concurrent(\`A5: three \${name}\`, () => {})
        it.for\`x\`("A6: four", () => {})
        expect("A7: no test")
        other.it("A8: no test")
      })
      // it("A9: a comment")`
    expect(citing(source).map(({ title, modifiers }) => [title, ...modifiers])).toEqual([
      ["A1: one"],
      ["A2 & A3, A4: two %s", "each"],
      ["A5: three ", "concurrent"],
      ["A6: four", "for"],
    ])
  })
})

describe("the tests", () => {
  const switchedOff = ["skip", "skipIf", "runIf", "only", "todo", "fails"]
  const findSwitchedOff = (tests: ReturnType<typeof findTests>) =>
    tests.filter(({ modifiers }) => modifiers.some((name) => switchedOff.includes(name)))

  it("are never skipped, focused, planned or expected to fail", async () => {
    expect(findSwitchedOff(await testsOfThisRepository)).toEqual([])
  })

  it("would be caught if they were", () => {
    const source = switchedOff.map((name) => `it.${name}("does something", () => {})`).join("\n")
    expect(findSwitchedOff(citing(source))).toHaveLength(switchedOff.length)
  })
})
