import { defineChecks, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireRefusal } from "../../measure/require.ts"
import { prepare } from "../../measure/running-work.ts"
import { describeTree, oddNames } from "../../measure/sample-files.ts"
import { withOutside } from "../../measure/with-outside.ts"

/** Directories made, and files and directories removed. */
const directoriesPromises = {
  make: "a directory is made together with those above it, and commands see it",
  "make-existing": "making a directory that is there already is fine and changes nothing in it",
  "make-over-file": "a file in the way of a directory is left alone, and refused as not-directory",
  "make-mode": "a directory is made with the permission bits that were asked for",
  remove: "a file and an empty directory are removed",
  "remove-full": "a directory with something in it is refused as not-empty and left whole",
  "remove-recursive": "a directory is removed with all that is in it when that was asked for",
  "remove-link": "removing a link leaves what it leads to",
  "remove-missing": "removing what is not there fails as not-found",
  "odd-names": "directories of any name are made, moved, copied and removed",
  outside: "no link leads the making, removing, moving or copying of files outside the workspace",
}

export const directories = defineChecks("directories", directoriesPromises, {
  async make({ workspace }) {
    await workspace.mkdir("one/two/three")
    await prepare(workspace, "test -d one/two/three && echo x > one/two/three/file")
    requireEqual("what is there", await workspace.readFile("one/two/three/file"), "x\n")
    return "three directories at once, used by a command"
  },
  async "make-existing"({ workspace }) {
    await workspace.writeFile("there/file", "kept")
    await workspace.mkdir("there")
    await Promise.all(["there/new", "there/new", "there/new/er"].map((it) => workspace.mkdir(it)))
    const names = (await workspace.readdir("there")).map(({ name }) => name)
    requireEqual("the names in it", names, ["file", "new"])
    requireEqual("the file in it", await workspace.readFile("there/file"), "kept")
    return "once more alone, and three times at once"
  },
  async "make-over-file"({ workspace }) {
    await workspace.writeFile("file", "kept")
    await requireRefusal("making it over a file", workspace.mkdir("file"), "not-directory")
    await requireRefusal("making one below it", workspace.mkdir("file/below"), "not-directory")
    requireEqual("the file", await workspace.readFile("file"), "kept")
    return "at the place itself and above it"
  },
  "make-mode": when("fileModes", async ({ workspace }) => {
    const modes = [0o700, 0o755, 0o777, 0o1777]
    for (const mode of modes) await workspace.mkdir(`modes/${mode.toString(8)}`, { mode })
    const found = await Promise.all(
      modes.map(async (mode) => (await workspace.stat(`modes/${mode.toString(8)}`)).mode),
    )
    requireEqual("the permission bits", found, modes)
    return "700, 755, 777 and 1777"
  }),
  async remove({ workspace }) {
    await workspace.mkdir("place/empty")
    await workspace.writeFile("place/file", "x")
    await prepare(workspace, "echo x > place/protected; chmod 400 place/protected")
    for (const name of ["empty", "file", "protected"]) await workspace.remove(`place/${name}`)
    requireEqual("what is left", await workspace.readdir("place"), [])
    return "a file, a file that nobody may write to and a directory"
  },
  async "remove-full"({ workspace }) {
    await workspace.writeFile("full/deep/file", "kept")
    await requireRefusal("removing it", workspace.remove("full"), "not-empty")
    requireEqual("the file in it", await workspace.readFile("full/deep/file"), "kept")
    return "refused, and the file in it is still there"
  },
  async "remove-recursive"({ workspace }) {
    await prepare(
      workspace,
      "mkdir -p place/full/a/b/c place/stays; cd place/full; echo x > .hidden; echo x > a/b/c/file; ln -s nowhere a/dangling; for i in $(seq 1 200); do : > a/$i; done",
    )
    await workspace.remove("place/full", { recursive: true })
    const left = (await workspace.readdir("place")).map(({ name }) => name)
    requireEqual("what is left", left, ["stays"])
    await workspace.writeFile("place/file", "x")
    await workspace.remove("place/file", { recursive: true })
    requireEqual("a file removed so", await workspace.exists("place/file"), false)
    return "200 files, hidden ones, links and four levels, and one file"
  },
  async "remove-link"({ workspace }) {
    await prepare(
      workspace,
      "mkdir -p real/deep tree; echo kept > real/deep/file; echo kept > file; ln -s real to-directory; ln -s file to-file; ln -s nowhere dangling; ln -s real again; ln -s ../real tree/inner",
    )
    for (const link of ["to-directory", "to-file", "dangling"]) await workspace.remove(link)
    for (const link of ["again", "tree"]) await workspace.remove(link, { recursive: true })
    const names = (await workspace.readdir(".")).map(({ name }) => name)
    requireEqual("what is left", names, ["file", "real"])
    const kept = [await workspace.readFile("file"), await workspace.readFile("real/deep/file")]
    requireEqual("what they led to", kept, ["kept\n", "kept\n"])
    return "links to a file, to a directory and to nothing, alone and inside a tree"
  },
  async "remove-missing"({ workspace }) {
    await requireRefusal("removing it", workspace.remove("missing"), "not-found")
    const whole = workspace.remove("missing", { recursive: true })
    await requireRefusal("removing all of it", whole, "not-found")
    await requireRefusal("one below", workspace.remove("missing/below"), "not-found")
    return "alone, recursively, and in a directory that is not there"
  },
  async "odd-names"({ workspace }) {
    for (const name of oddNames) {
      await workspace.mkdir(`made/${name}`)
      await workspace.writeFile(`made/${name}/${name}`, `content of ${name}`)
      await workspace.rename(`made/${name}`, `moved/${name}/${name}`)
      await workspace.copy(`moved/${name}/${name}`, `copied/${name}/${name}`)
      const read = await workspace.readFile(`copied/${name}/${name}/${name}`)
      requireEqual("the copied file", read, `content of ${name}`)
      await workspace.remove(`moved/${name}`, { recursive: true })
    }
    const names = (await workspace.readdir("copied")).map(({ name }) => name)
    requireEqual("the copies", names, oddNames.toSorted())
    const left = [...(await workspace.readdir("made")), ...(await workspace.readdir("moved"))]
    requireEqual("what was moved or removed", left, [])
    return `${oddNames.length} names, each made, moved, copied and removed`
  },
  outside: ({ workspace }) =>
    withOutside(async (outside) => {
      await prepare(workspace, 'ln -s "$OUT" way; ln -s "$OUT/secret.txt" file; echo x > mine', {
        OUT: outside.directory,
      })
      await Promise.allSettled([
        workspace.mkdir("way/made/deep"),
        workspace.remove("way/empty"),
        workspace.remove("way/secret.txt", { recursive: true }),
        workspace.rename("way/secret.txt", "stolen/moved"),
        workspace.copy("way/secret.txt", "stolen/copied"),
        workspace.copy("way/empty", "stolen/directory"),
      ])
      await Promise.allSettled([workspace.copy("mine", "way/planted")])
      await Promise.allSettled([workspace.copy("mine", "way/secret.txt")])
      await Promise.allSettled([workspace.rename("mine", "way/secret.txt")])
      await outside.requireUntouched()
      const inside = await workspace.exec("cat stolen/moved stolen/copied 2>/dev/null")
      requireEqual("what was read outside", inside.stdout, "")
      const found = await describeTree(workspace, "stolen").catch(() => [])
      requireEqual("what was taken from outside", found, [])
      return "nine ways out, and nothing outside was changed or taken"
    }),
})
