import { createDispatcher, createWorkspace, memoryHost, transfer } from "../../sandbox/index.ts"
import { defineChecks } from "../measure/define-checks.ts"
import { requireEqual, requireRefusal } from "../measure/require.ts"

/** Files that go from one sandbox to another, of the same host or of another kind. */
const transfersPromises = {
  tree: "a tree goes from one sandbox to another, and its bytes are counted",
  file: "a file is afterwards at exactly the path that was said",
  "other-host": "a tree goes to a sandbox of another host and comes back the same",
}

export const transfers = defineChecks("transfer", transfersPromises, {
  async tree({ sandbox, workspace, another }) {
    await workspace.writeFile("tree/deep/a.txt", "seven b")
    await workspace.writeFile("tree/b.txt", "three")
    const other = await another()
    const from = { dispatcher: createDispatcher(sandbox), path: "tree" }
    const to = { dispatcher: createDispatcher(other), path: "new/place" }
    requireEqual("what was counted", await transfer(from, to, { recursive: true }), { bytes: 12 })
    const there = createWorkspace(other)
    requireEqual("the file", await there.readFile("new/place/deep/a.txt"), "seven b")
    requireEqual("the other file", await there.readFile("new/place/b.txt"), "three")
    return "two files in two directories, 12 bytes"
  },
  async file({ sandbox, workspace, another }) {
    await workspace.writeFile("one.txt", "one")
    const other = await another()
    const from = { dispatcher: createDispatcher(sandbox), path: "one.txt" }
    const dispatcher = createDispatcher(other)
    const moved = await transfer(from, { dispatcher, path: "deep/two.txt" }, {})
    requireEqual("what was counted", moved, { bytes: 3 })
    const there = createWorkspace(other)
    requireEqual("the file", await there.readFile("deep/two.txt"), "one")
    await there.mkdir("directory")
    const refused = transfer(from, { dispatcher, path: "directory" }, {})
    await requireRefusal("a file onto a directory", refused, "is-directory")
    requireEqual("the directory's entries", await there.readdir("directory"), [])
    return "deep/two.txt was the file; a directory in its place was refused"
  },
  async "other-host"({ sandbox, workspace, can }) {
    await workspace.writeFile("tree/program", "#!/bin/sh\n", { mode: 0o755 })
    const memory = await memoryHost().create({ name: "transfer" })
    try {
      const here = createDispatcher(sandbox)
      const there = createDispatcher(memory)
      const options = { recursive: true }
      const far = { dispatcher: there, path: "tree" }
      await transfer({ dispatcher: here, path: "tree" }, far, options)
      await transfer(far, { dispatcher: here, path: "back" }, options)
    } finally {
      await memory.destroy()
    }
    requireEqual("the file", await workspace.readFile("back/program"), "#!/bin/sh\n")
    const { mode } = await workspace.stat("back/program")
    if (can.fileModes) requireEqual("its permissions", mode, 0o755)
    return "through a sandbox in memory"
  },
})
