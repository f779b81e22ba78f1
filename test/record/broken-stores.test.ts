import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { recordChecks } from "../../src/testing/index.ts"
import { brokenStores } from "./broken/broken-stores.ts"
import { makeDirectory, sqliteFile } from "./record-fixture.ts"

describe("the suite for record stores, on broken ones", () => {
  it.each(brokenStores)(
    "F20, F21: notices a store that $flaw",
    async ({ caughtBy, breakStore }) => {
      const chosen = recordChecks.filter(({ id }) => caughtBy.includes(id))
      expect(chosen).toHaveLength(caughtBy.length)
      const open = sqliteFile(join(makeDirectory(), "record.sqlite"), breakStore)
      const kept = await Promise.allSettled(chosen.map((check) => check.run(open)))
      const unnoticed = chosen.filter((_, index) => kept[index]?.status === "fulfilled")
      expect(unnoticed.map(({ id }) => id)).toEqual([])
      const reasons = kept.map((one) => String(one.status === "rejected" && one.reason))
      expect(reasons.filter((reason) => reason.includes("no answer within"))).toEqual([])
    },
  )

  it("F21: every check has noticed a store that breaks its promise", () => {
    const caught = new Set(brokenStores.flatMap(({ caughtBy }) => caughtBy))
    expect(recordChecks.filter(({ id }) => !caught.has(id)).map(({ id }) => id)).toEqual([])
  })
})
