import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { openRecord, recordLimits } from "../../src/store/index.ts"
import { placeOf, recordSchema } from "../../src/store/record/record-schema.ts"
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

it("F20: a file of the first version keeps everything, and deletes a session without its neighbours", async () => {
  const file = join(makeDirectory(), "record.sqlite")
  const { migrations, applicationId } = recordSchema
  using first = new DatabaseSync(file)
  first.exec(`${migrations[0]} PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`)
  const sessions = ["one", "two"].map((name, index) => ({ name, number: index + 1 }))
  for (const { name, number } of sessions) {
    first.exec(`
      INSERT INTO sessions VALUES (${number}, 'id-${name}', '${name}', NULL, NULL, 'idle', 1, NULL, 1, 2);
      INSERT INTO entries VALUES (${number}, 1, NULL, 'message', 5, 1, '"${name}"', NULL);
      INSERT INTO entries VALUES (${number}, 2, 1, 'call', 6, NULL, NULL, x'00');
      INSERT INTO unclosed VALUES (${number}, 'call:a', 2);`)
  }
  first.exec(`INSERT INTO blobs VALUES (x'00', '"large"')`)
  first.close()

  await using store = await openRecord({ file })
  const read = async (name: string) => {
    const reader = await store.read(name)
    const bodies = (await reader?.entries())?.map(({ sequence, parent, at, body }) => ({
      ...{ sequence, parent, at, body },
    }))
    const milestones = (await reader?.entries({ milestones: true }))?.map(({ body }) => body)
    const unclosed = (await reader?.unclosed())?.map(({ key, body }) => ({ key, body }))
    return { head: (await reader?.session())?.head, bodies, milestones, unclosed }
  }
  const kept = (name: string) => ({
    head: 2,
    bodies: [
      { sequence: 1, parent: null, at: 5, body: name },
      { sequence: 2, parent: 1, at: 6, body: "large" },
    ],
    milestones: [name],
    unclosed: [{ key: "call:a", body: "large" }],
  })
  expect(await read("one")).toEqual(kept("one"))
  const all = await store.entries({ after: 0 })
  expect(all.map(({ position, session, entry }) => [position, session.name, entry.at])).toEqual([
    ...[
      [1, "one", 5],
      [2, "two", 5],
      [3, "one", 6],
      [4, "two", 6],
    ],
  ])
  await store.remove("one")
  expect(await read("two")).toEqual(kept("two"))
})

it("F20, O8: a session that has as many entries as there can be says so, and its neighbours go on", async () => {
  const file = join(makeDirectory(), "record.sqlite")
  await using store = await openRecord({ file })
  await (await store.open("full")).close()
  using database = new DatabaseSync(file)
  database.exec(
    `INSERT INTO entries (place, kind, at_ms, body) VALUES (${placeOf(1, recordLimits.entries)}, 'note', 1, '0')`,
  )
  const [full, next] = [await store.open("full"), await store.open("next")]
  const entry = { kind: "note", at: 1, body: 1 }
  await expect(full.append([entry])).rejects.toThrow("which is the most. Go on in another session.")
  expect(await next.append([entry])).toMatchObject([{ sequence: 1 }])
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
