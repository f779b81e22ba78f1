import { describe, expect, it } from "vitest"
import { type ListedQuestion, listQuestions, takesKeys } from "./question-list.ts"

interface Asked {
  readonly question: string
}
const asked = (...names: string[]) => names.map((question): Asked => ({ question }))
const shown = (list: readonly ListedQuestion<Asked>[]) =>
  list.map(({ question, isOpen }) => `${question.question}${isOpen ? "" : " answered"}`)

describe("the list of questions", () => {
  it("X7: new questions come at the end, and answered ones stay where they are", () => {
    const first = listQuestions([], asked("b", "c"))
    const second = listQuestions(first, asked("a", "c"))
    expect(shown(second)).toEqual(["b answered", "c", "a"])
    expect(shown(listQuestions(second, []))).toEqual(["b answered", "c answered", "a answered"])
  })

  it("X7: of many answered questions the oldest go", () => {
    const names = Array.from({ length: 30 }, (_, index) => `q${index}`)
    const all = listQuestions(listQuestions([], asked(...names)), asked("q0"))
    expect(all).toHaveLength(21)
    expect(shown(all).slice(0, 2)).toEqual(["q0", "q10 answered"])
  })

  it("X7: keys count only after half a second on screen", () => {
    expect(takesKeys(null, 10_000)).toBe(false)
    expect(takesKeys(1_000, 1_499)).toBe(false)
    expect(takesKeys(1_000, 1_500)).toBe(true)
  })
})
