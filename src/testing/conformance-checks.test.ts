import { expect, it } from "vitest"
import { conformanceChecks } from "./index.ts"

it("F21: every check has an id of its own and a promise that reads as a sentence", () => {
  const ids = conformanceChecks.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
  const odd = conformanceChecks.filter(({ promise }) => !/^[a-z0-9].{15,140}[^.]$/.test(promise))
  expect(odd.map(({ promise }) => promise)).toEqual([])
})
