import type { Workspace } from "../../../contract/index.ts"
import { createWorkspace, type Sandbox } from "../../../sandbox/index.ts"
import { ConformanceFailure, defineChecks } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireThat } from "../../measure/require.ts"
import { prepare, requireUnharmedNeighbour } from "../../measure/running-work.ts"
import { describeTree, oddNames, sampleBytes } from "../../measure/sample-files.ts"
import { requireUnknown, withTaken } from "../../measure/taken-files.ts"

async function take(sandbox: Sandbox): Promise<string> {
  if (!sandbox.checkpoint) throw new ConformanceFailure("the sandbox has no checkpoint()")
  return (await sandbox.checkpoint()).id
}

async function textsOf(workspace: Workspace): Promise<Record<string, string>> {
  const names = (await workspace.readdir(".")).map(({ name }) => name).sort()
  const texts = names.map(async (name) => [name, await workspace.readFile(name)] as const)
  return Object.fromEntries(await Promise.all(texts))
}

const checkpointsPromises = {
  content: "a sandbox created from a checkpoint starts with the files, modes and links of the home",
  "goes-on": "a checkpoint ends no command",
  "source-goes-on": "what a sandbox does after a checkpoint is in no sandbox created from it",
  "fork-goes-on": "what a sandbox created from a checkpoint does is in no other sandbox",
  again: "a checkpoint after another has what changed between them, also of the same size and time",
  removed: "what was removed or moved between two checkpoints is not there in the second",
  restored: "a sandbox created from a checkpoint can be recorded itself",
  odd: "what is not a file, a directory or a link does not hold up a checkpoint",
  "outlives-source":
    "a checkpoint outlives its sandbox, and sandboxes created from it outlive the checkpoint",
  unknown: "a checkpoint that was removed is refused",
}

export const checkpoints = defineChecks("checkpoints", checkpointsPromises, {
  async content({ host, sandbox, workspace, another }) {
    const bytes = sampleBytes(300_000)
    await workspace.writeFile("deep/er/big.bin", bytes)
    for (const name of oddNames) await workspace.writeFile(`odd/${name}`, `of ${name}`)
    await prepare(
      workspace,
      "mkdir shut hollow; echo x >shut/in; chmod 600 shut/in; chmod 750 shut; ln -s shut/in link; ln -s /nowhere out",
    )
    const before = await describeTree(workspace, sandbox.home)
    return withTaken(host, take(sandbox), async (from) => {
      const fork = createWorkspace(await another({ from }))
      requireEqual("the files of the fork", await describeTree(fork, sandbox.home), before)
      const copied = await fork.readFileBuffer("deep/er/big.bin")
      requireThat(Buffer.compare(copied, bytes) === 0, "a big file differs in the fork")
      requireEqual("the files of the source", await describeTree(workspace, sandbox.home), before)
      return `${before.length} entries were the same in both`
    })
  },
  async "goes-on"(subject) {
    const { host, sandbox } = subject
    await requireUnharmedNeighbour(subject, () => withTaken(host, take(sandbox), async () => {}))
    return "a command that ran from before it until after it ended well"
  },
  async "source-goes-on"({ host, sandbox, workspace, another }) {
    await prepare(workspace, "echo old >kept; echo old >changed; echo old >removed")
    return withTaken(host, take(sandbox), async (from) => {
      const early = createWorkspace(await another({ from }))
      await prepare(workspace, "echo new >changed; echo more >>kept; rm removed; echo new >added")
      const late = createWorkspace(await another({ from }))
      const expected = { changed: "old\n", kept: "old\n", removed: "old\n" }
      requireEqual("one created before", await textsOf(early), expected)
      requireEqual("one created after", await textsOf(late), expected)
      return "one created before the changes and one created after had the old files"
    })
  },
  async "fork-goes-on"({ host, sandbox, workspace, another }) {
    await prepare(workspace, "echo old >changed; echo old >kept")
    return withTaken(host, take(sandbox), async (from) => {
      const first = createWorkspace(await another({ from }))
      await prepare(first, "echo new >changed; echo more >>kept; echo new >added")
      const second = createWorkspace(await another({ from }))
      const expected = { changed: "old\n", kept: "old\n" }
      requireEqual("the source", await textsOf(workspace), expected)
      requireEqual("another one", await textsOf(second), expected)
      return "the source and another one kept the old files"
    })
  },
  async again({ host, sandbox, workspace, another }) {
    const sameTime = "touch -d 2001-02-03 file"
    await prepare(workspace, `echo one >file; ${sameTime}; echo same >still`)
    return withTaken(host, take(sandbox), async (first) => {
      await prepare(workspace, `echo two >file; ${sameTime}`)
      return withTaken(host, take(sandbox), async (second) => {
        const [before, after] = [await another({ from: first }), await another({ from: second })]
        const texts = await Promise.all([before, after].map((one) => textsOf(createWorkspace(one))))
        const still = "same\n"
        requireEqual("both", texts, [
          { file: "one\n", still },
          { file: "two\n", still },
        ])
        return "a file with another content, the same size and the same time"
      })
    })
  },
  async removed({ host, sandbox, workspace, another }) {
    await prepare(workspace, "mkdir d; echo 1 >d/a; echo 2 >gone; echo 3 >moved")
    return withTaken(host, take(sandbox), async () => {
      await prepare(workspace, "rm -r d gone; mv moved here; echo 4 >d")
      return withTaken(host, take(sandbox), async (from) => {
        const fork = createWorkspace(await another({ from }))
        requireEqual("the second", await textsOf(fork), { d: "4\n", here: "3\n" })
        return "a file, a file that was moved and a directory that became a file"
      })
    })
  },
  async restored({ host, sandbox, workspace, another }) {
    await prepare(workspace, "mkdir d; echo 1 >d/a; echo 2 >b; echo 3 >c")
    return withTaken(host, take(sandbox), async (first) => {
      const middle = await another({ from: first })
      await prepare(createWorkspace(middle), "mv d e; rm b; echo 4 >>c; echo 5 >f; chmod 600 e/a")
      return withTaken(host, take(middle), async (from) => {
        const fork = createWorkspace(await another({ from }))
        const expected = await describeTree(createWorkspace(middle), sandbox.home)
        requireEqual("the last one", await describeTree(fork, sandbox.home), expected)
        requireEqual("a file", await fork.readFile("c"), "3\n4\n")
        return "one created from it had what was removed, moved, changed and added"
      })
    })
  },
  async odd({ host, sandbox, workspace, another }) {
    await prepare(workspace, "mkfifo pipe 2>/dev/null; ln -s loop loop; echo x >file")
    return withTaken(host, take(sandbox), async (from) => {
      const fork = createWorkspace(await another({ from }))
      requireEqual("a file beside it", await fork.readFile("file"), "x\n")
      return "a pipe that nobody writes and a link to itself"
    })
  },
  async "outlives-source"({ host, sandbox, workspace, another }) {
    await workspace.writeFile("file", "precious\n")
    const from = await take(sandbox)
    await sandbox.destroy()
    const fork = createWorkspace(await another({ from }))
    await host.removeSnapshot(from)
    requireEqual("the file", await fork.readFile("file"), "precious\n")
    await prepare(fork, "echo more >>file")
    requireEqual("the changed file", await fork.readFile("file"), "precious\nmore\n")
    return "it read and changed the file when both were gone"
  },
  async unknown({ host, sandbox }) {
    const id = await take(sandbox)
    await host.removeSnapshot(id)
    await requireUnknown(host, "a sandbox of a removed checkpoint", id)
    await rejectionOf("removing it twice", host.removeSnapshot(id))
    return "created from a removed one, and removed twice"
  },
})
