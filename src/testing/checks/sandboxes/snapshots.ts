import type { Workspace } from "../../../contract/index.ts"
import { createWorkspace, sandboxLimits } from "../../../sandbox/index.ts"
import { defineChecks } from "../../measure/conformance-check.ts"
import {
  quote,
  rejectionOf,
  requireEqual,
  requireRefusal,
  requireThat,
} from "../../measure/require.ts"
import { sampleBytes } from "../../measure/sample-files.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"
import { requireUnknown, withTaken } from "../../measure/taken-files.ts"

async function run(workspace: Workspace, command: string): Promise<string> {
  const { exitCode, stdout, stderr } = await workspace.exec(command)
  requireThat(exitCode === 0, `${quote(command)} ended with ${exitCode}: ${stderr}`)
  return stdout
}

/** Every name below the home with what it is, and what the files say. */
const everything =
  'find . -mindepth 1 | LC_ALL=C sort | while read -r f; do if [ -L "$f" ]; then echo "$f -> $(readlink "$f")"; elif [ -d "$f" ]; then echo "$f/"; else echo "$f: $(cat "$f")"; fi; done'

const snapshotsPromises = {
  content: "a sandbox created from a snapshot starts with its files, their modes and links",
  "source-goes-on": "what a sandbox does after its snapshot is in no sandbox created from it",
  "fork-goes-on": "what a sandbox created from a snapshot does is in no other sandbox",
  "removed-stays-removed":
    "what was removed or moved before a snapshot is not there in a sandbox created from it",
  "while-running": "a snapshot answers what runs, and the sandbox works on with its files",
  deep: "a sandbox can have any number of snapshots on each other, and each holds its own files",
  "outlives-source":
    "a snapshot outlives its sandbox, and sandboxes created from it outlive the snapshot",
  unknown: "a snapshot that is not there is refused, whether it never was or was removed",
  "at-once": "many sandboxes can be created from one snapshot at the same time",
}

export const snapshots = defineChecks("snapshots", snapshotsPromises, {
  async content({ host, sandbox, workspace, another }) {
    const bytes = sampleBytes(300_000)
    await workspace.writeFile("deep/er/big.bin", bytes)
    await run(
      workspace,
      "echo hello >'a b'; mkdir shut; echo x >shut/in; chmod 600 shut/in; chmod 750 shut; ln -s 'a b' link; ln 'a b' twin; touch -d 2001-02-03 'a b'",
    )
    const look = `${everything} | grep -v big.bin; stat -c '%a %h' . shut shut/in 'a b' | sed 1d; stat -c %Y 'a b'`
    const before = await run(workspace, look)
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const fork = createWorkspace(await another({ from: snapshot }))
      requireEqual("the files of the fork", await run(fork, look), before)
      const copied = await fork.readFileBuffer("deep/er/big.bin")
      requireThat(Buffer.compare(copied, bytes) === 0, "a big file differs in the fork")
      requireEqual("the files of the source", await run(workspace, look), before)
      return "files, modes, times, links and hard links were the same in both"
    })
  },
  async "source-goes-on"({ host, sandbox, workspace, another }) {
    await run(workspace, "echo old >kept; echo old >changed; mkdir d; echo old >d/removed")
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const early = createWorkspace(await another({ from: snapshot }))
      await run(workspace, "echo new >changed; echo more >>kept; rm -r d; echo new >added")
      const late = createWorkspace(await another({ from: snapshot }))
      const expected = "./changed: old\n./d/\n./d/removed: old\n./kept: old\n"
      requireEqual("a fork made before", await run(early, everything), expected)
      requireEqual("a fork made after", await run(late, everything), expected)
      return "a fork made before the changes and one made after had the old files"
    })
  },
  async "fork-goes-on"({ host, sandbox, workspace, another }) {
    await run(workspace, "echo old >changed; mkdir d; echo old >d/removed")
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const first = createWorkspace(await another({ from: snapshot }))
      await run(first, "echo new >changed; rm -r d; echo new >added; chmod 600 added")
      const second = createWorkspace(await another({ from: snapshot }))
      const expected = "./changed: old\n./d/\n./d/removed: old\n"
      requireEqual("the source", await run(workspace, everything), expected)
      requireEqual("another fork", await run(second, everything), expected)
      requireEqual("the fork", await run(first, everything), "./added: new\n./changed: new\n")
      return "the source and another fork kept the old files"
    })
  },
  async "removed-stays-removed"({ host, sandbox, workspace, another }) {
    await run(workspace, "mkdir -p tree/sub other; echo 1 >tree/sub/a; echo 2 >other/b; echo 3 >c")
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const source = await another({ from: snapshot })
      await run(
        createWorkspace(source),
        "mv tree moved; rm -r other c; mkdir other; echo 4 >other/new; echo 5 >moved/sub/more",
      )
      return withTaken(host, source.snapshot(), async (second) => {
        const fork = createWorkspace(await another({ from: second }))
        const expected =
          "./moved/\n./moved/sub/\n./moved/sub/a: 1\n./moved/sub/more: 5\n./other/\n./other/new: 4\n"
        requireEqual("the fork of the fork", await run(fork, everything), expected)
        return "a file, a directory that was created again and one that was moved"
      })
    })
  },
  async "while-running"({ host, sandbox, workspace, another }) {
    const beat = "while :; do echo beat >>beats; sleep 0.02; done"
    const running = workspace.exec(beat).then(
      () => "exited",
      () => "refused",
    )
    await run(workspace, "until [ -s beats ]; do sleep 0.02; done")
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const answer = await running
      const count = "wc -l <beats | tr -d ' '"
      const held = await run(createWorkspace(await another({ from: snapshot })), count)
      const [first, second] = [await run(workspace, count), await run(workspace, count)]
      requireEqual("the beats in the source, twice", [first, second], [held, held])
      return `the command was ${answer}; the fork and the source had ${held.trim()} beats`
    })
  },
  async deep({ host, sandbox, workspace, another }) {
    const depth = sandboxLimits.snapshotDepth + 2
    const held: string[] = []
    try {
      for (let level = 0; level < depth; level += 1) {
        const step = `echo ${level} >f${level}; rm -f f${level - 2}; mkdir -p d; echo x >d/${level}`
        await run(workspace, step)
        held.push(await sandbox.snapshot())
      }
      for (const level of [0, depth - 1]) {
        const fork = createWorkspace(await another({ from: held[level] }))
        const found = await run(fork, "cat f*; ls d | wc -l | tr -d ' '")
        const files = level === 0 ? "0\n" : `${level - 1}\n${level}\n`
        requireEqual(`what snapshot ${level} holds`, found, `${files}${level + 1}\n`)
      }
      return `${depth} snapshots; the first and the last held what was there`
    } finally {
      for (const snapshot of held) await host.removeSnapshot(snapshot)
    }
  },
  async "outlives-source"({ host, sandbox, workspace, another }) {
    await run(workspace, "echo precious >file")
    const snapshot = await sandbox.snapshot()
    await sandbox.destroy()
    const fork = createWorkspace(await another({ from: snapshot }))
    await host.removeSnapshot(snapshot)
    requireEqual("the file", await fork.readFile("file"), "precious\n")
    await run(fork, "echo more >>file")
    requireEqual("the changed file", await fork.readFile("file"), "precious\nmore\n")
    return "the fork read and changed the file when both were gone"
  },
  async unknown({ host, sandbox }) {
    const snapshot = await sandbox.snapshot()
    await host.removeSnapshot(snapshot)
    await requireUnknown(host, "a sandbox of a removed snapshot", snapshot)
    await requireUnknown(host, "a sandbox of no snapshot", "snapshot_000000000000")
    await requireUnknown(host, "a sandbox of another directory", "../snapshots")
    await rejectionOf("removing it twice", host.removeSnapshot(snapshot))
    return "created from a removed one, from an invented one and from a path"
  },
  async "at-once"({ host, sandbox, workspace, another }) {
    await workspace.writeFile("base", "base")
    return withTaken(host, sandbox.snapshot(), async (snapshot) => {
      const elapsed = startStopwatch()
      const forks = await Promise.all(Array.from({ length: 8 }, () => another({ from: snapshot })))
      const said = await Promise.all(
        forks.map((fork, index) =>
          run(createWorkspace(fork), `echo ${index} >own; sleep 0.1; cat base own`),
        ),
      )
      requireEqual(
        "what each has",
        said,
        forks.map((_, index) => `base${index}\n`),
      )
      await requireRefusal("reading a fork's file", workspace.readFile("own"), "not-found")
      return `8 of them after ${elapsed()} ms`
    })
  },
})
