import type { DirectoryEntry } from "../../../src/contract/index.ts"
import type { Host } from "../../../src/sandbox/index.ts"
import { alterSandboxes, type BrokenHost } from "./broken-host.ts"

/** Hosts that change names, or list them wrongly. */
export const flawedNames: readonly BrokenHost[] = [
  {
    flaw: "changes characters that are not ASCII",
    caughtBy: ["file-names.unicode"],
    breakHost: (good) => alterPaths(good, (path) => path.replaceAll(/[^ -~\s]/g, "_")),
  },
  {
    flaw: "composes the characters of names, but only when it writes",
    caughtBy: ["file-names.normal-forms"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.write": (write, control, sandbox) =>
          sandbox.perform<"file.write">({ ...write, path: write.path.normalize("NFC") }, control),
      })),
  },
  {
    flaw: "trims names",
    caughtBy: ["file-names.spaces", "file-names.line-breaks"],
    breakHost: (good) =>
      alterPaths(good, (path) =>
        path
          .split("/")
          .map((part) => part.trim())
          .join("/"),
      ),
  },
  {
    flaw: "splits a listing at line breaks",
    caughtBy: ["file-names.line-breaks"],
    breakHost: (good) =>
      alterLists(good, (entries) =>
        entries.flatMap(({ name, type }) => name.split("\n").map((part) => ({ name: part, type }))),
      ),
  },
  {
    flaw: "lets a shell read names",
    caughtBy: ["file-names.shell-words", "file-names.leading-dash"],
    breakHost: (good) =>
      alterPaths(good, (path) => path.replaceAll(/\/-+|[$`*?[\]{}~#'"\\;&|<>]/g, "_")),
  },
  {
    flaw: "drops dots",
    caughtBy: ["file-names.dots", "listing.hidden"],
    breakHost: (good) =>
      alterLists(good, (entries) => entries.filter(({ name }) => !name.startsWith("."))),
  },
  {
    flaw: "shortens long names",
    caughtBy: ["file-names.long", "file-names.too-long", "file-names.deep"],
    breakHost: (good) =>
      alterPaths(good, (path) =>
        path
          .split("/")
          .map((part) => part.slice(0, 40))
          .join("/"),
      ),
  },
  {
    flaw: "sorts as a dictionary does",
    caughtBy: ["listing.sorted"],
    breakHost: (good) =>
      alterLists(good, (entries) => entries.toSorted((a, b) => a.name.localeCompare(b.name, "en"))),
  },
  {
    flaw: "does not sort",
    caughtBy: ["listing.sorted", "listing.two-thousand", "listing.typed"],
    breakHost: (good) => alterLists(good, (entries) => entries.toReversed()),
  },
  {
    flaw: "lists . and ..",
    caughtBy: ["listing.hidden", "listing.empty"],
    breakHost: (good) =>
      alterLists(good, (entries) => [
        { name: ".", type: "directory" },
        { name: "..", type: "directory" },
        ...entries,
      ]),
  },
  {
    flaw: "ignores the limit of a listing",
    caughtBy: ["listing.limited"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.list": (list, control, sandbox) =>
          sandbox.perform<"file.list">({ ...list, limit: Number.POSITIVE_INFINITY }, control),
      })),
  },
  {
    flaw: "never lists more than 1,000 entries",
    caughtBy: ["listing.two-thousand"],
    breakHost: (good) => alterLists(good, (entries) => entries.slice(0, 1_000)),
  },
  {
    flaw: "takes links and pipes for files",
    caughtBy: ["listing.typed", "listing.other"],
    breakHost: (good) =>
      alterLists(good, (entries) =>
        entries.map(({ name, type }) => ({ name, type: type === "directory" ? type : "file" })),
      ),
  },
]

type Entries = readonly DirectoryEntry[]

function alterLists(good: Host, alter: (entries: Entries) => Entries): Host {
  return alterSandboxes(good, () => ({
    "file.list": async (list, control, sandbox) =>
      alter(await sandbox.perform<"file.list">(list, control)),
  }))
}

/** Changes the part of every path that lies below the home. */
function alterPaths(good: Host, alter: (below: string) => string): Host {
  return alterSandboxes(good, ({ home }) => {
    const other = (path: string) => home + alter(path.slice(home.length))
    return {
      "file.read": (read, control, sandbox) =>
        sandbox.perform<"file.read">({ ...read, path: other(read.path) }, control),
      "file.write": (write, control, sandbox) =>
        sandbox.perform<"file.write">({ ...write, path: other(write.path) }, control),
    }
  })
}
