import { setTimeout as pause } from "node:timers/promises"
import { defineChecks, type Measure, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireRefusal } from "../../measure/require.ts"
import { prepare } from "../../measure/running-work.ts"
import { describeTree } from "../../measure/sample-files.ts"

/** A tree with permissions, links, empty files and empty directories. */
const plantTree = [
  "mkdir -p tree/full/deep tree/hollow; cd tree",
  "echo one > full/one; echo two > full/deep/two; : > full/nothing",
  "chmod 750 full; chmod 600 full/one; chmod 755 full/deep/two",
  "ln -s full/one to-file; ln -s full to-directory; ln -s nowhere dangling",
].join("\n")

/** A check that nothing moved or copied takes the place of a directory, and that nothing has changed then. */
function refusedOver(work: "rename" | "copy"): Measure {
  return async ({ workspace }) => {
    await prepare(
      workspace,
      "mkdir full hollow source; echo kept > full/file; echo x > source/inner; echo x > file",
    )
    const before = await describeTree(workspace, ".")
    for (const from of ["file", "source"]) {
      for (const to of ["full", "hollow"]) {
        const what = `a ${work} of ${from} over ${to}`
        await requireRefusal(what, workspace[work](from, to), "is-directory")
      }
    }
    requireEqual("what is there after it", await describeTree(workspace, "."), before)
    return "a file and a directory over an empty and a full directory"
  }
}

/** Files and directories moved and copied. */
const directoryMovesPromises = {
  rename: "a file and a whole directory are moved, and the directories above are made",
  "rename-over-file": "a moved file takes the place of the file that is there",
  "rename-over-directory":
    "nothing moved takes the place of a directory, and nothing lands inside it",
  "rename-keeps": "a moved file keeps its content, its permission bits and its time",
  "rename-missing": "moving or copying what is not there fails as not-found and leaves the target",
  copy: "a copied file has the same content, permission bits and time, and a place of its own",
  "copy-over-file": "a copied file takes the place of the file that is there",
  "copy-tree": "a copied directory has everything the source has, and links stay links",
  "copy-over-directory":
    "nothing copied takes the place of a directory, and nothing lands inside it",
}

export const directoryMoves = defineChecks("directories", directoryMovesPromises, {
  async rename({ workspace }) {
    await prepare(workspace, plantTree)
    const before = await describeTree(workspace, "tree")
    await workspace.rename("tree", "new/place/tree")
    requireEqual("the moved tree", await describeTree(workspace, "new/place/tree"), before)
    await workspace.rename("new/place/tree/full/one", "other/one")
    requireEqual("the moved file", await workspace.readFile("other/one"), "one\n")
    const left = [await workspace.exists("tree"), await workspace.exists("new/place/tree/full/one")]
    requireEqual("whether they are where they were", left, [false, false])
    return "a tree and a file out of it, each to a directory that was not there"
  },
  async "rename-over-file"({ workspace }) {
    await workspace.writeFile("old", "old and longer")
    await workspace.writeFile("new", "new")
    await workspace.rename("new", "old")
    const found = [await workspace.readFile("old"), await workspace.exists("new")]
    requireEqual("what is there", found, ["new", false])
    return "the new content is there, and only once"
  },
  "rename-over-directory": refusedOver("rename"),
  "rename-keeps": when("fileModes", async ({ workspace }) => {
    await workspace.writeFile("file", "kept", { mode: 0o751 })
    const before = await workspace.stat("file")
    await pause(50)
    await workspace.rename("file", "elsewhere/file")
    requireEqual("its stat", await workspace.stat("elsewhere/file"), before)
    return "size, mode 751 and time are the same after it"
  }),
  async "rename-missing"({ workspace }) {
    await workspace.writeFile("target", "kept")
    for (const work of ["rename", "copy"] as const) {
      await requireRefusal(`a ${work}`, workspace[work]("missing", "target"), "not-found")
      await requireRefusal(`a ${work}`, workspace[work]("missing", "new"), "not-found")
    }
    const names = (await workspace.readdir(".")).map(({ name }) => name)
    requireEqual("what is there", names, ["target"])
    requireEqual("the target", await workspace.readFile("target"), "kept")
    return "over a file and to a new name"
  },
  async copy({ workspace, can }) {
    await workspace.writeFile("source", "same", { mode: 0o640 })
    const before = await workspace.stat("source")
    await pause(50)
    await workspace.copy("source", "new/place/copy")
    const { mode, ...rest } = await workspace.stat("new/place/copy")
    const copied = can.fileModes ? { ...rest, mode } : { ...rest, mode: before.mode }
    requireEqual("the copy's stat", copied, before)
    requireEqual("the copy", await workspace.readFile("new/place/copy"), "same")
    await workspace.exec("echo more >> source; printf other > new/place/copy")
    const both = [await workspace.readFile("source"), await workspace.readFile("new/place/copy")]
    requireEqual("both after a change of each", both, ["samemore\n", "other"])
    return "the same at first, and each changed without the other"
  },
  async "copy-over-file"({ workspace }) {
    await workspace.writeFile("old", "old and longer")
    await workspace.writeFile("new", "new")
    await workspace.copy("new", "old")
    const both = [await workspace.readFile("old"), await workspace.readFile("new")]
    requireEqual("both files", both, ["new", "new"])
    return "the old content is gone, the source is there"
  },
  async "copy-tree"({ workspace }) {
    await prepare(workspace, plantTree)
    const before = await describeTree(workspace, "tree")
    const { modifiedMs } = await workspace.stat("tree/full/deep/two")
    await pause(50)
    await workspace.copy("tree", "copies/tree")
    requireEqual("the copy", await describeTree(workspace, "copies/tree"), before)
    const copied = await workspace.stat("copies/tree/full/deep/two")
    requireEqual("the time of a file in it", copied.modifiedMs, modifiedMs)
    await workspace.exec("echo more >> copies/tree/full/one")
    requireEqual("the source", await describeTree(workspace, "tree"), before)
    return "files, empty ones, empty directories, modes, times and links; the source is as it was"
  },
  "copy-over-directory": refusedOver("copy"),
})
