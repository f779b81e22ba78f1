import { defineChecks, when } from "../measure/define-checks.ts"
import { requireEqual } from "../measure/require.ts"

const listingPromises = {
  sorted: "a listing is sorted by the characters of the names, the same on every host",
  typed: "a listing tells files, directories and links apart, and does not follow links",
  other: "a listing tells a named pipe from a file",
  hidden: "a listing shows hidden names, but not the directory itself or its parent",
  empty: "an empty directory lists as empty",
  limited: "a limited listing gives the first entries in order",
  "two-thousand": "a directory of 2,000 entries lists completely",
}

export const listing = defineChecks("listing", listingPromises, {
  async sorted({ workspace }) {
    const names = ["b", "B", "a", "A", "10", "9", "_", "-", ".hidden", "é", "z", "Ω", "a b", "ab"]
    for (const name of names) await workspace.writeFile(`sorted/${name}`, "")
    const listed = (await workspace.readdir("sorted")).map(({ name }) => name)
    requireEqual("the names", listed, names.toSorted())
    return `${names.length} names of letters in both cases, digits, signs and accents`
  },
  async typed({ workspace }) {
    await workspace.exec(
      "mkdir -p mixed/directory; cd mixed; echo x > file; ln -s file link; ln -s directory link-to-directory; ln -s nowhere link-to-nothing",
    )
    const listed = await workspace.readdir("mixed")
    requireEqual(
      "name and type",
      listed.map(({ name, type }) => `${name}: ${type}`),
      [
        "directory: directory",
        "file: file",
        "link: symlink",
        "link-to-directory: symlink",
        "link-to-nothing: symlink",
      ],
    )
    return "a file, a directory and three links"
  },
  other: when("background", async ({ workspace }) => {
    await workspace.exec("mkdir pipes; mkfifo pipes/pipe")
    requireEqual("the entries", await workspace.readdir("pipes"), [{ name: "pipe", type: "other" }])
    return "a named pipe is of type other"
  }),
  async hidden({ workspace }) {
    await workspace.exec("mkdir -p place/.config; cd place; echo x > .env; echo x > shown")
    const names = (await workspace.readdir("place")).map(({ name }) => name)
    requireEqual("the names", names, [".config", ".env", "shown"])
    return "two hidden names and one other"
  },
  async empty({ workspace }) {
    await workspace.exec("mkdir hollow")
    requireEqual("the entries", await workspace.readdir("hollow"), [])
    return "a new directory has no entries"
  },
  async limited({ workspace }) {
    await workspace.exec("mkdir many; cd many; for i in $(seq 100 199 | sort -r); do : > f$i; done")
    const first = await workspace.readdir("many", { limit: 3 })
    const all = await workspace.readdir("many", { limit: 1_000 })
    requireEqual(
      "the first three",
      first.map(({ name }) => name),
      ["f100", "f101", "f102"],
    )
    requireEqual("how many at a limit of 1,000", all.length, 100)
    return "3 of 100, and all 100 at a limit of 1,000"
  },
  async "two-thousand"({ workspace }) {
    await workspace.exec("mkdir many; cd many; for i in $(seq 1001 3000); do : > entry-$i; done")
    const listed = (await workspace.readdir("many")).map(({ name }) => name)
    const expected = Array.from({ length: 2_000 }, (_, index) => `entry-${index + 1_001}`)
    requireEqual("how many", listed.length, expected.length)
    requireEqual("the names", listed, expected)
    return "2,000 names in order"
  },
})
