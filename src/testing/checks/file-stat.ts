import { defineChecks, when } from "../measure/define-checks.ts"
import { requireEqual, requireThat } from "../measure/require.ts"

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
