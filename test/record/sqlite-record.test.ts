import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { recordChecks } from "../../src/testing/index.ts"
import { makeDirectory, sqliteFile } from "./record-fixture.ts"

describe("the record in SQLite", () => {
  it.each(recordChecks)("F20, F21: $id: $promise", async (check) => {
    const how = await check.run(sqliteFile(join(makeDirectory(), "record.sqlite")))
    expect(how).not.toBe("")
  })

  it("F21: keeps its promises beside the sessions of others", async () => {
    const open = sqliteFile(join(makeDirectory(), "record.sqlite"))
    const chosen = recordChecks.filter(({ id }) => /^(sessions|owners|questions)\./.test(id))
    for (const check of chosen) await check.run(open)
  })
})

describe("the suite for record stores", () => {
  it("F21: every check has an id of its own and a promise that reads as a sentence", () => {
    const ids = recordChecks.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z-]+\.[a-z0-9-]+$/.test(id))).toEqual([])
    const odd = recordChecks.filter(({ promise }) => !/^[a-z0-9].{15,140}[^.]$/.test(promise))
    expect(odd.map(({ promise }) => promise)).toEqual([])
  })
})
