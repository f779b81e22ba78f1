import { isInside } from "../../../contract/index.ts"
import { createWorkspace } from "../../../sandbox/index.ts"
import { defineChecks } from "../../measure/define-checks.ts"
import { rejectionOf, requireEqual, requireRefusal, requireThat } from "../../measure/require.ts"
import { busyLoop } from "../../measure/running-work.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

const sandboxLifePromises = {
  ready: "a host that makes sandboxes says that it is ready",
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
