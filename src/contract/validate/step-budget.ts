import { limits } from "../limits.ts"

/** A check that would take more steps than it may. */
class OverBudget extends Error {}

/**
 * How many steps one check may still take. A step applies one schema to one value. Schemas that refer to themselves through
 * choices apply the same schema to the same value again, twice as often with each level of the value.
 */
export class StepBudget {
  left: number = limits.checkSteps.always
  /** The value that is checked, until its size has extended the budget. */
  value: unknown = null

  /** Begins the check of a value. */
  start(value: unknown): void {
    this.left = limits.checkSteps.always
    this.value = value
  }

  take(steps: number): void {
    this.left -= steps
    if (this.left < 0) this.extend()
  }

  /** For a check that has used up its steps. Values are counted only now, because few inputs are so large. */
  extend(): void {
    const { always, perValue, most } = limits.checkSteps
    if (this.value !== extended) {
      const more = Math.min(perValue * countValues(this.value, most / perValue), most - always)
      this.value = extended
      this.left += more
      if (this.left >= 0) return
    }
    throw new OverBudget("The check takes too many steps.")
  }
}

const extended = Symbol("extended")

/** Whether this is what ends a check that goes on for too long, or too deep. */
export function isTooMuchWork(error: unknown): boolean {
  return error instanceof OverBudget || error instanceof RangeError
}

/** How many values stand in a value, and itself. Counts no further than `most`. */
export function countValues(root: unknown, most: number): number {
  const waiting = [root]
  let count = 1
  while (waiting.length > 0 && count < most) {
    const value = waiting.pop()
    if (typeof value !== "object" || value === null) continue
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    count += parts.length
    if (count >= most) break
    for (const part of parts) if (typeof part === "object") waiting.push(part)
  }
  return Math.min(count, most)
}
