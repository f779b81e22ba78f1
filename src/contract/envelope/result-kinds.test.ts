import { describe, expect, it } from "vitest"
import {
  classifyResult,
  collapseListing,
  type Envelope,
  failure,
  listingResult,
  success,
  textResult,
} from "../index.ts"

const entries = [
  { name: "notes.txt", path: "Desktop/notes.txt", type: "file" },
  { name: "photos", path: "Desktop/photos", type: "directory" },
]
const listing = (entryCount: number, truncated: boolean) =>
  success(
    "file.list",
    listingResult("Desktop", entries.slice(0, entryCount), { entryCount, truncated }),
  )

describe("the forms of a result", () => {
  it("O3.text: text", () => {
    expect(textResult("# Found")).toEqual({ text: "# Found" })
  })

  it("O4.fields: a directory, whose entries can be the next call's argument", () => {
    expect(listingResult("Desktop", entries, { entryCount: 2, truncated: false })).toEqual({
      kind: "listing",
      path: "Desktop",
      entries,
      entry_count: 2,
      truncated: false,
    })
  })
})

describe("a loop steers on", () => {
  it.each<[string, Envelope]>([
    ["listing-empty", listing(0, false)],
    ["listing-partial", listing(2, true)],
    ["listing-partial", listing(0, true)],
    ["listing-populated", listing(2, false)],
    ["file", success("file.read", { kind: "file", text: "", path: "a" })],
    ["not-found", failure("file.read", { kind: "not_found", message: "No such file." })],
    ["failure", failure("file.read", { kind: "timeout", message: "Too late." })],
    ["other", success("demo.tool", { text: "hi" })],
    ["other", success("demo.tool", [1])],
    ["other", success("demo.tool", null)],
  ])("O7.classes: %s", (kind, envelope) => {
    expect(classifyResult(envelope)).toBe(kind)
  })
})

describe("an old listing", () => {
  it("O6: shrinks to the number of its entries and its path", () => {
    expect(collapseListing(listing(2, false))).toEqual({
      ok: true,
      tool: "file.list",
      result: { text: "2 entries in Desktop" },
    })
  })

  it("O6: keeps its warnings, and whatever else is no listing stays as it is", () => {
    const warned = { ...listing(2, true), warnings: ["slow disk"] }
    expect(collapseListing(warned)).toEqual({
      ok: true,
      tool: "file.list",
      result: { text: "2 entries in Desktop" },
      warnings: ["slow disk"],
    })
    const others = [
      success("file.read", { kind: "file", text: "" }),
      success("demo.tool", null),
      failure("file.list", { kind: "not_found", message: "Gone." }),
    ]
    for (const envelope of others) expect(collapseListing(envelope)).toBe(envelope)
  })
})
