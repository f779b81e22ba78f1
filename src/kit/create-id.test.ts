import { expect, it } from "vitest"
import { createId } from "./index.ts"

it("an id says what it names, and no two are the same", () => {
  const ids = Array.from({ length: 10_000 }, () => createId("call"))
  expect(new Set(ids).size).toBe(10_000)
  for (const id of ids) expect(id).toMatch(/^call_[0-9a-z]{12}$/)
})
