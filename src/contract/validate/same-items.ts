import { canonicalJson } from "../../kit/index.ts"
import { textSteps } from "./count-steps.ts"
import type { StepBudget } from "./step-budget.ts"

/** What is said of the first two items of a list that are the same JSON, as the end of a sentence; or null. */
export function sameItems(list: readonly unknown[], budget: StepBudget): string | null {
  const plain = new Map<unknown, number>()
  const texts = new Map<string, number>()
  for (const [index, item] of list.entries()) {
    const isPlain = typeof item !== "object" || item === null
    const text = isPlain ? "" : canonicalJson(item)
    budget.take(1 + textSteps(text))
    const before = isPlain ? plain.get(item) : texts.get(text)
    if (before !== undefined) {
      return `must NOT have duplicate items (items ## ${before} and ${index} are identical)`
    }
    if (isPlain) plain.set(item, index)
    else texts.set(text, index)
  }
  return null
}

/** Whether two values are the same JSON. Ends at the first difference. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false
  }
  const keys = Object.keys(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isSameJson(Object(one)[key], Object(other)[key]),
    )
  )
}
