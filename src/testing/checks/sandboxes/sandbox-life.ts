import { isInside } from "../../../contract/index.ts"
import { createWorkspace } from "../../../sandbox/index.ts"
import { defineChecks, when } from "../../measure/conformance-check.ts"
import {
  rejectionOf,
  requireEqual,
  requireRefusal,
  requireThat,
  requireWorks,
} from "../../measure/require.ts"
import {
  busyLoop,
  prepare,
  requireStopped,
  tickInto,
  whenExists,
} from "../../measure/running-work.ts"
import { describeTree, oddNames } from "../../measure/sample-files.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

const sandboxLifePromises = {
  ready: "a host that can create sandboxes reports that it is ready",
  declared: "a sandbox can do what its host declares",
  home: "a new sandbox has a home, which is a directory inside its roots",
  separate: "two sandboxes share no files at the same relative path",
  "destroy-one": "destroying one sandbox leaves the others working",
  "destroy-twice": "destroying a sandbox twice is safe",
  "destroy-answers": "destroying a sandbox answers every command that still runs",
  "after-destroy": "a destroyed sandbox refuses work instead of hanging",
}

export const sandboxLife = defineChecks("sandbox-life", sandboxLifePromises, {
  async ready({ host }) {
    requireEqual("the status", (await host.probe()).kind, "ready")
    return "probe() said ready"
  },
  async declared({ host, sandbox }) {
    requireEqual("the sandbox's capabilities", sandbox.can, host.can)
    requireEqual("the declared host", sandbox.can.host, host.name)
    return "the capabilities of the sandbox are those of the host"
  },
  async home({ sandbox, workspace }) {
    requireEqual("the type of the home", (await workspace.stat(sandbox.home)).type, "directory")
    const inside = sandbox.roots.some((root) => isInside(root, sandbox.home))
    requireThat(inside, `${sandbox.home} is in none of ${sandbox.roots.join(", ")}`)
    return `${sandbox.home} in ${sandbox.roots.join(", ")}`
  },
  async separate({ workspace, another }) {
    const other = createWorkspace(await another())
    await workspace.writeFile("mine.txt", "mine")
    await other.exec("echo theirs > theirs.txt")
    await requireRefusal("reading the other's file", other.readFile("mine.txt"), "not-found")
    await requireRefusal("reading the other's file", workspace.readFile("theirs.txt"), "not-found")
    return "neither saw the other's file"
  },
  async "destroy-one"({ workspace, another }) {
    const other = await another()
    const destroy = async () => {
      await createWorkspace(other).exec("echo used")
      await other.destroy()
    }
    const [neighbour] = await Promise.all([workspace.exec("sleep 0.5; echo done"), destroy()])
    requireEqual("the neighbour's output", neighbour.stdout, "done\n")
    requireEqual("its next command", (await workspace.exec("echo next")).stdout, "next\n")
    return "a running command and a new one in the other sandbox worked"
  },
  async "destroy-twice"({ sandbox, workspace }) {
    await workspace.exec("true")
    await Promise.all([sandbox.destroy(), sandbox.destroy()])
    await sandbox.destroy()
    return "three times, two of them at once"
  },
  async "destroy-answers"({ sandbox, workspace }) {
    const running = Promise.allSettled(
      ["sleep 5", busyLoop, "cat"].map((command) => workspace.exec(command)),
    )
    await workspace.exec("sleep 0.3")
    const elapsed = startStopwatch()
    await sandbox.destroy()
    const ends = await running
    const kinds = ends.map(({ status }) => status).join(", ")
    return `destroyed and all answered after ${elapsed()} ms: ${kinds}`
  },
  async "after-destroy"({ sandbox, workspace }) {
    await workspace.writeFile("file.txt", "before")
    await sandbox.destroy()
    await rejectionOf("a command after destroy", workspace.exec("echo alive"))
    await rejectionOf("a write after destroy", workspace.writeFile("late.txt", "late"))
    return "a command and a write were refused"
  },
})

/** Sandboxes that rest without processes. */
const sleepPromises = {
  files: "files in every root survive sleep, with permission bits and links",
  processes: "processes are ended by sleep, and those in the background are reported as gone",
  wakes: "whatever is asked of a sleeping sandbox wakes it",
  twice: "a sandbox that sleeps can be put to sleep again",
  answers: "sleep answers every command that still runs",
  "wakes-once": "ten things asked of a sleeping sandbox at once all work",
  fresh: "after sleep a command starts as it did before: same directory, same variables",
  destroy: "a sleeping sandbox can be destroyed, and then refuses work",
}

export const sleep = defineChecks("sleep", sleepPromises, {
  async files({ workspace, sandbox }) {
    const places = sandbox.roots.map((root) => `${root}/kept-over-sleep`)
    for (const place of places) {
      for (const name of oddNames) await workspace.writeFile(`${place}/${name}`, `of ${name}`)
      await prepare(
        workspace,
        'cd "$PLACE"; mkdir -m 700 hollow; echo x > run; chmod 750 run; ln -s run link',
        { PLACE: place },
      )
    }
    const describe = () => Promise.all(places.map((place) => describeTree(workspace, place)))
    const before = await describe()
    await sandbox.sleep()
    requireEqual("the files after it", await describe(), before)
    return `${before.flat().length} entries in ${sandbox.roots.join(", ")}`
  },
  processes: when(
    (can) => can.sleep && can.background,
    async (subject) => {
      const { workspace, sandbox } = subject
      const { id } = await workspace.processes.start(tickInto("background"))
      await workspace.exec(`(${tickInto("left")}) >/dev/null 2>&1 &`)
      for (const file of ["background", "left"]) await whenExists(subject, file)
      await sandbox.sleep()
      const { state } = await workspace.processes.wait(id, { timeoutMs: 2_000 })
      requireEqual("its state", state.kind, "gone")
      return requireStopped(workspace, "background", "left")
    },
  ),
  async wakes({ workspace, sandbox }) {
    await workspace.writeFile("file", "kept")
    await sandbox.sleep()
    requireEqual("a command", (await workspace.exec("cat file")).stdout, "kept")
    await sandbox.sleep()
    requireEqual("a read", await workspace.readFile("file"), "kept")
    await sandbox.sleep()
    await workspace.writeFile("file", "changed")
    await sandbox.sleep()
    await workspace.rename("file", "moved")
    await sandbox.sleep()
    requireEqual("a read after the changes", await workspace.readFile("moved"), "changed")
    return "a command, two reads, a write and a move, each after a sleep"
  },
  async twice({ workspace, sandbox }) {
    await workspace.writeFile("file", "kept")
    await Promise.all([sandbox.sleep(), sandbox.sleep()])
    await sandbox.sleep()
    requireEqual("a read", await workspace.readFile("file"), "kept")
    return "three times, two of them at once"
  },
  async answers(subject) {
    const { workspace, sandbox } = subject
    const stubborn = `trap "" TERM; ${tickInto("stubborn")}`
    const running = [workspace.exec(tickInto("ticks")), workspace.exec(stubborn)]
    const answers = running.map((work) => rejectionOf("a command that was put to sleep", work))
    // Looked at below; until then a broken host may reject it.
    for (const answer of answers) answer.catch(() => {})
    for (const file of ["ticks", "stubborn"]) await whenExists(subject, file)
    const elapsed = startStopwatch()
    await sandbox.sleep()
    await Promise.all(answers)
    await requireWorks(workspace)
    return `two commands were answered after ${elapsed()} ms`
  },
  async "wakes-once"({ workspace, sandbox }) {
    await workspace.writeFile("file", "kept")
    await sandbox.sleep()
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        index % 2 ? workspace.readFile("file") : (await workspace.exec("cat file")).stdout,
      ),
    )
    requireEqual("what they read", all, Array(10).fill("kept"))
    const names = (await workspace.readdir(".")).map(({ name }) => name)
    requireEqual("the names", names, ["file"])
    return "five commands and five reads"
  },
  async fresh({ workspace, sandbox }) {
    const look = async () => (await workspace.exec("pwd; umask; export -p")).stdout
    const own = (text: string) => text.split("\n").filter((line) => !line.includes("TOOLKEEP"))
    const before = own(await look())
    await workspace.exec("mkdir below; cd below; export LEFT=over; umask 077")
    await sandbox.sleep()
    requireEqual("what a command finds", own(await look()), before)
    return `${before.length} lines about directory, umask and variables are the same`
  },
  async destroy({ workspace, sandbox }) {
    await workspace.writeFile("file", "x")
    await sandbox.sleep()
    await sandbox.destroy()
    await rejectionOf("a command after destroy", workspace.exec("echo alive"))
    await rejectionOf("a read after destroy", workspace.readFile("file"))
    return "a command and a read were refused"
  },
})
