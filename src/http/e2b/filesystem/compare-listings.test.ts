import { describe, expect, it } from "vitest"
import { compareListings, type ListedEntry, type Listing } from "./compare-listings.ts"

const listing = (...entries: (Partial<ListedEntry> & { name: string; inode: string })[]): Listing =>
  new Map(
    entries.map((entry) => {
      const base = { isDirectory: false, mode: "644", size: "0", modified: "1" }
      return [entry.name, { ...base, ...entry }]
    }),
  )

const told = (before: Listing, now: Listing) =>
  compareListings(before, now).map(({ name, type }) => `${type.slice(11)} ${name}`)

describe("what happened between two listings", () => {
  const none = listing()
  const one = listing({ name: "a", inode: "1" })
  it.each<[string, Listing, Listing, string[]]>([
    ["nothing", one, one, []],
    ["an empty file is created", none, one, ["CREATE a"]],
    [
      "a file with content is created and written",
      none,
      listing({ name: "a", inode: "1", size: "3" }),
      ["CREATE a", "WRITE a"],
    ],
    [
      "a file is written, also with as many bytes as before",
      one,
      listing({ name: "a", inode: "1", modified: "2" }),
      ["WRITE a"],
    ],
    ["a mode changes", one, listing({ name: "a", inode: "1", mode: "755" }), ["CHMOD a"]],
    ["a file is removed", one, none, ["REMOVE a"]],
    ["a file is moved", one, listing({ name: "b", inode: "1" }), ["RENAME a", "CREATE b"]],
    [
      "a file takes the place of another",
      listing({ name: "a", inode: "1" }, { name: "b", inode: "2", size: "9" }),
      listing({ name: "a", inode: "2", size: "9" }),
      ["RENAME b", "CREATE a"],
    ],
    [
      "a file is replaced as a whole",
      one,
      listing({ name: "a", inode: "7", mode: "600" }),
      ["WRITE a", "CHMOD a"],
    ],
    [
      "something is made in a directory, which is no event of the directory",
      listing({ name: "d", inode: "1", isDirectory: true, size: "4096" }),
      listing(
        { name: "d", inode: "1", isDirectory: true, size: "4096", modified: "2" },
        { name: "d/x", inode: "3" },
      ),
      ["CREATE d/x"],
    ],
  ])("R12: %s", (_, before, now, events) => {
    expect(told(before, now)).toEqual(events)
  })
})
