import { defineChecks, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"

const aMinute = 60_000

const fileStatPromises = {
  file: "stat tells a file's type and its size in bytes",
  directory: "stat tells a directory",
  time: "stat tells when a file was last changed",
  mode: "stat tells the permission bits that a command has set",
  exists: "exists tells what is there and what is not",
}

export const fileStat = defineChecks("file-stat", fileStatPromises, {
  async file({ workspace }) {
    await workspace.writeFile("file.txt", "é日🎉")
    await workspace.exec("echo four > by-command.txt")
    const found = await Promise.all(
      ["file.txt", "by-command.txt"].map(async (path) => {
        const { type, size } = await workspace.stat(path)
        return `${type} ${size}`
      }),
    )
    requireEqual("type and size", found, ["file 9", "file 5"])
    return "3 characters of 9 bytes, and a file of 5 bytes by a command"
  },
  async directory({ workspace }) {
    await workspace.writeFile("made/file.txt", "x")
    const types = await Promise.all(
      ["made", ".", "made/"].map(async (path) => (await workspace.stat(path)).type),
    )
    requireEqual("the types", types, ["directory", "directory", "directory"])
    return "a new directory, with and without a slash, and the home"
  },
  async time({ workspace }) {
    await workspace.writeFile("first.txt", "1")
    const first = (await workspace.stat("first.txt")).modifiedMs
    const apart = Math.abs(Date.now() - first)
    requireThat(apart < aMinute, `a new file's time is ${apart} ms from now`)
    await workspace.exec("sleep 1.1; echo 2 >> first.txt")
    const second = (await workspace.stat("first.txt")).modifiedMs
    const moved = second - first
    requireThat(moved > 500 && moved < aMinute, `the time moved by ${moved} ms after 1.1 s`)
    return `a new file's time was ${Math.round(apart)} ms from now and moved by ${Math.round(moved)} ms after 1.1 s`
  },
  mode: when("fileModes", async ({ workspace }) => {
    await workspace.exec("echo x > file.txt; chmod 741 file.txt")
    const mode = ((await workspace.stat("file.txt")).mode & 0o777).toString(8)
    requireEqual("the mode", mode, "741")
    return "chmod 741 was seen"
  }),
  async exists({ workspace }) {
    await workspace.writeFile("there/file.txt", "")
    const paths = [
      "there",
      "there/file.txt",
      ".",
      "missing",
      "missing/file",
      "there/file.txt/below",
    ]
    const found = await Promise.all(paths.map((path) => workspace.exists(path)))
    requireEqual(paths.join(", "), found, [true, true, true, false, false, false])
    return "three paths that exist and three that do not"
  },
})

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
