import { defineChecks, when } from "../../measure/define-checks.ts"
import { rejectionOf, requireEqual } from "../../measure/require.ts"
import { prepare, requireStopped, tickInto, whenExists } from "../../measure/running-work.ts"
import { describeTree, oddNames } from "../../measure/sample-files.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

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
  files: when("sleep", async ({ workspace, sandbox }) => {
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
  }),
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
  wakes: when("sleep", async ({ workspace, sandbox }) => {
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
  }),
  twice: when("sleep", async ({ workspace, sandbox }) => {
    await workspace.writeFile("file", "kept")
    await Promise.all([sandbox.sleep(), sandbox.sleep()])
    await sandbox.sleep()
    requireEqual("a read", await workspace.readFile("file"), "kept")
    return "three times, two of them at once"
  }),
  answers: when("sleep", async (subject) => {
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
    requireEqual("the next command", (await workspace.exec("echo on")).stdout, "on\n")
    return `two commands were answered after ${elapsed()} ms`
  }),
  "wakes-once": when("sleep", async ({ workspace, sandbox }) => {
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
  }),
  fresh: when("sleep", async ({ workspace, sandbox }) => {
    const look = async () => (await workspace.exec("pwd; umask; export -p")).stdout
    const own = (text: string) => text.split("\n").filter((line) => !line.includes("TOOLKEEP"))
    const before = own(await look())
    await workspace.exec("mkdir below; cd below; export LEFT=over; umask 077")
    await sandbox.sleep()
    requireEqual("what a command finds", own(await look()), before)
    return `${before.length} lines about directory, umask and variables are the same`
  }),
  destroy: when("sleep", async ({ workspace, sandbox }) => {
    await workspace.writeFile("file", "x")
    await sandbox.sleep()
    await sandbox.destroy()
    await rejectionOf("a command after destroy", workspace.exec("echo alive"))
    await rejectionOf("a read after destroy", workspace.readFile("file"))
    return "a command and a read were refused"
  }),
})
