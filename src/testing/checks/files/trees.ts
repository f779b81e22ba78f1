import { setTimeout as pause } from "node:timers/promises"
import type { Workspace } from "../../../contract/index.ts"
import { createWorkspace, memoryHost, transfer } from "../../../sandbox/index.ts"
import { readAll, streamOf, streamThen, tarArchive } from "../../measure/archives.ts"
import { defineChecks } from "../../measure/conformance-check.ts"
import {
  rejectionOf,
  requireEqual,
  requireRefusal,
  requireThat,
  requireWorks,
} from "../../measure/require.ts"
import { prepare } from "../../measure/running-work.ts"
import { describeTree, digest, oddNames, sampleBytes } from "../../measure/sample-files.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

const mebibyte = 1024 * 1024

async function plantTree(workspace: Workspace): Promise<void> {
  for (const name of oddNames) await workspace.writeFile(`tree/odd/${name}`, `content of ${name}`)
  await workspace.writeFile("tree/deep/er/est/bytes", sampleBytes(100_001, 3))
  await workspace.writeFile(`tree/${"long-name-".repeat(20)}/${"n".repeat(200)}`, "long")
  await prepare(
    workspace,
    [
      "cd tree; mkdir -p hollow/inner; : > nothing; echo x > .hidden; echo x > program",
      "chmod 755 program; chmod 600 nothing; chmod 700 hollow; chmod 750 deep/er",
      "ln -s deep/er/est/bytes to-file; ln -s ../program deep/up; ln -s hollow to-directory",
      "ln -s nowhere dangling",
    ].join("\n"),
  )
}

/** Processes in the sandbox; the machine's own, where it has none of its own, say nothing. */
async function countProcesses(workspace: Workspace): Promise<number> {
  if (!workspace.can.background || workspace.can.isolation === "none") return 0
  const { stdout } = await workspace.exec("set -- /proc/[0-9]*; echo $#")
  return Number(stdout)
}

/** Files that leave a sandbox as an archive, and come into one. */
const treesPromises = {
  same: "a tree that is exported and imported into another sandbox is the same tree",
  "big-file": "a file of 20 MiB passes from one sandbox to another unchanged",
  merge: "a tree imported into a directory keeps what else is there and replaces what it has",
  "one-file": "one file lands at exactly the path it is imported to, with its permission bits",
  "one-file-refused": "what is not one file is not imported as one, and leaves what is there",
  missing: "exporting what is not there fails as not-found before there is a stream",
  "import-over-file":
    "a tree imported to where a file is fails as not-directory and leaves the file",
  "cancelled-export": "a cancelled export ends its work, and the sandbox goes on",
  "aborted-import": "an aborted import rejects with the reason, and the sandbox goes on",
}

export const trees = defineChecks("trees", treesPromises, {
  async same({ workspace, another }) {
    await plantTree(workspace)
    const before = await describeTree(workspace, "tree")
    const other = createWorkspace(await another())
    await other.importTree("new/place", await workspace.exportTree("tree"))
    requireEqual("the imported tree", await describeTree(other, "new/place"), before)
    requireEqual("the exported tree", await describeTree(workspace, "tree"), before)
    return `${before.length} entries: odd and long names, modes, links, empty files and directories`
  },
  async "big-file"({ workspace, another }) {
    const content = sampleBytes(20 * mebibyte, 5)
    await workspace.writeFile("tree/big", content)
    const other = createWorkspace(await another())
    await other.importTree("tree", await workspace.exportTree("tree"))
    const arrived = await other.readFileBuffer("tree/big")
    requireEqual(
      "its size and digest",
      [arrived.length, digest(arrived)],
      [content.length, digest(content)],
    )
    return "20 MiB through one stream"
  },
  async merge({ workspace }) {
    await prepare(
      workspace,
      "mkdir -p new/both new/only; echo new > new/both/file; echo n > new/only/file; mkdir -p old/both old/mine; echo old and longer > old/both/file; echo kept > old/both/mine; echo kept > old/mine/file",
    )
    await workspace.importTree("old", await workspace.exportTree("new"))
    const files = ["both/file", "both/mine", "mine/file", "only/file"]
    const read = await Promise.all(files.map((file) => workspace.readFile(`old/${file}`)))
    requireEqual("the files", read, ["new\n", "kept\n", "kept\n", "n\n"])
    return "one file replaced, one new, two kept"
  },
  async "one-file"({ workspace, can }) {
    await workspace.writeFile("source dir/-the file", "one file", { mode: 0o750 })
    for (const to of ["new/place/other name", "there"]) {
      if (to === "there") await workspace.writeFile(to, "to be replaced")
      const archive = await workspace.exportTree("source dir/-the file")
      await workspace.importTree(to, archive, { as: "file" })
      const { type, mode } = await workspace.stat(to)
      const found = [await workspace.readFile(to), type, can.fileModes ? mode : 0o750]
      requireEqual(`what is at ${to}`, found, ["one file", "file", 0o750])
    }
    requireEqual("names beside it", (await workspace.readdir("new/place")).length, 1)
    return "under a new name, and over a file that was there"
  },
  async "one-file-refused"({ workspace }) {
    await prepare(workspace, "mkdir many here; echo 1 > many/1; echo 2 > many/2; echo kept > file")
    const many = workspace.importTree("file", await workspace.exportTree("many"), { as: "file" })
    await rejectionOf("importing two files as one", many)
    const archive = tarArchive([{ name: "one", kind: "file", content: "one" }])
    const over = workspace.importTree("here", streamOf(archive), { as: "file" })
    await requireRefusal("importing a file over a directory", over, "is-directory")
    const found = [await workspace.readFile("file"), await workspace.readdir("here")]
    requireEqual("what was there", found, ["kept\n", []])
    return "two files as one, and one over a directory"
  },
  async missing({ workspace }) {
    await requireRefusal("exporting it", workspace.exportTree("missing"), "not-found")
    await requireRefusal("one below", workspace.exportTree("missing/below"), "not-found")
    return "a missing path and one below it"
  },
  async "import-over-file"({ workspace }) {
    await prepare(workspace, "mkdir tree; echo x > tree/x; echo kept > file")
    const work = workspace.importTree("file", await workspace.exportTree("tree"))
    await requireRefusal("importing it", work, "not-directory")
    requireEqual("the file", await workspace.readFile("file"), "kept\n")
    return "refused, and the file is as it was"
  },
  async "cancelled-export"({ workspace }) {
    await workspace.writeFile("tree/big", sampleBytes(8 * mebibyte, 7))
    const before = await countProcesses(workspace)
    for (let round = 0; round < 5; round += 1) {
      const reader = (await workspace.exportTree("tree")).getReader()
      const { done } = await reader.read()
      requireEqual("whether it is over at its first piece", done, false)
      await reader.cancel()
    }
    const elapsed = startStopwatch()
    let after = await countProcesses(workspace)
    // A command that has ended may be counted for a moment, the one that counted last among them.
    while (after > before && elapsed() < 10_000) {
      await pause(50)
      after = await countProcesses(workspace)
    }
    requireThat(after <= before, `there were ${before} processes before it, and ${after} after`)
    await requireWorks(workspace)
    const whole = await readAll(await workspace.exportTree("tree"))
    requireThat(whole.length > 8 * mebibyte, `the next export had ${whole.length} bytes`)
    return "five times after the first piece; then a command and a whole export worked"
  },
  async "aborted-import"({ workspace }) {
    const half = tarArchive([{ name: "file", kind: "file", content: "x".repeat(100_000) }])
    const controller = new AbortController()
    const reason = new Error("not wanted any more")
    const archive = streamThen(half.subarray(0, 50_000), () => new Promise(() => {}))
    const work = workspace.importTree("target", archive, { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 300)
    const error = await rejectionOf("the aborted import", work)
    requireThat(error === reason, `it rejected with ${String(error)}`)
    await requireWorks(workspace)
    return "half an archive whose rest never comes"
  },
})

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
    const from = { sandbox, path: "tree" }
    const to = { sandbox: other, path: "new/place" }
    requireEqual("what was counted", await transfer(from, to, { recursive: true }), { bytes: 12 })
    const there = createWorkspace(other)
    requireEqual("the file", await there.readFile("new/place/deep/a.txt"), "seven b")
    requireEqual("the other file", await there.readFile("new/place/b.txt"), "three")
    return "two files in two directories, 12 bytes"
  },
  async file({ sandbox, workspace, another }) {
    await workspace.writeFile("one.txt", "one")
    const other = await another()
    const from = { sandbox, path: "one.txt" }
    const moved = await transfer(from, { sandbox: other, path: "deep/two.txt" }, {})
    requireEqual("what was counted", moved, { bytes: 3 })
    const there = createWorkspace(other)
    requireEqual("the file", await there.readFile("deep/two.txt"), "one")
    await there.mkdir("directory")
    const refused = transfer(from, { sandbox: other, path: "directory" }, {})
    await requireRefusal("a file onto a directory", refused, "is-directory")
    requireEqual("the directory's entries", await there.readdir("directory"), [])
    return "deep/two.txt was the file; a directory in its place was refused"
  },
  async "other-host"({ sandbox, workspace, can }) {
    await workspace.writeFile("tree/program", "#!/bin/sh\n", { mode: 0o755 })
    const memory = await memoryHost().create({ name: "transfer" })
    try {
      const options = { recursive: true }
      const far = { sandbox: memory, path: "tree" }
      await transfer({ sandbox, path: "tree" }, far, options)
      await transfer(far, { sandbox, path: "back" }, options)
    } finally {
      await memory.destroy()
    }
    requireEqual("the file", await workspace.readFile("back/program"), "#!/bin/sh\n")
    const { mode } = await workspace.stat("back/program")
    if (can.fileModes) requireEqual("its permissions", mode, 0o755)
    return "through a sandbox in memory"
  },
})
