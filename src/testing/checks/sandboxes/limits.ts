import type { SandboxLimits, Workspace } from "../../../contract/index.ts"
import { createWorkspace } from "../../../sandbox/index.ts"
import { defineChecks, type Subject, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireFailure, requireThat, requireWorks } from "../../measure/require.ts"

const mebibyte = 1024 ** 2

/** Far below what any host gives when nothing is said, and enough for a sandbox to work. */
const small = { memoryBytes: 128 * mebibyte, diskBytes: 8 * mebibyte, processes: 64, processors: 1 }

type LimitName = keyof SandboxLimits
const names = Object.keys(small) as LimitName[]

/** A sandbox that is held to one small limit, and says so. */
async function openLimited({ another }: Subject, name: LimitName): Promise<Workspace> {
  const sandbox = await another({ limits: { [name]: small[name] } })
  requireEqual(`the sandbox's own ${name}`, sandbox.can.limits[name], small[name])
  return createWorkspace(sandbox)
}

async function requireInvalid(subject: Subject, name: LimitName, value: number): Promise<void> {
  const what = `the limit ${name} of ${value}`
  await requireFailure(what, subject.another({ limits: { [name]: value } }), "invalid_args")
}

const limitChecksPromises = {
  nonsense:
    "an invalid limit, or one that the host can't enforce, is refused when a sandbox is created",
  memory: "a command that exceeds the memory limit is ended, and the sandbox goes on",
  processes: "a sandbox never has more processes than its limit, and goes on when more are refused",
  disk: "a command that writes more than the disk limit is stopped, and the sandbox works again once files are removed",
}

export const limitChecks = defineChecks("limits", limitChecksPromises, {
  async nonsense(subject) {
    const missing = names.filter((name) => subject.can.limits[name] === null)
    for (const name of names) {
      for (const value of [0, -1, Number.NaN, 2 ** 60]) await requireInvalid(subject, name, value)
    }
    for (const name of missing) await requireInvalid(subject, name, small[name])
    return `${names.length * 4} numbers and ${missing.length} limits that are not kept were refused`
  },
  memory: when(
    ({ limits }) => limits.memoryBytes !== null,
    async (subject) => {
      const workspace = await openLimited(subject, "memoryBytes")
      const double = "x=xxxxxxxxxxxxxxxx; for i in $(seq 1 24); do x=$x$x; done"
      const { exitCode, stdout } = await workspace.exec(`${double}; echo "taken \${#x}"`)
      requireThat(exitCode !== 0 && stdout === "", `it went on with twice its memory: ${stdout}`)
      await requireWorks(workspace)
      return `a text of 256 MiB was not had with ${small.memoryBytes / mebibyte} MiB: ${exitCode}`
    },
  ),
  processes: when(
    ({ limits }) => limits.processes !== null,
    async (subject) => {
      const workspace = await openLimited(subject, "processes")
      const storm = workspace.exec("for i in $(seq 1 150); do sleep 20 & done; wait", {
        timeoutMs: 3_000,
      })
      await workspace.exec("sleep 1.5")
      const { stdout } = await workspace.exec("set -- /proc/[0-9]*; echo $#")
      await storm
      requireThat(Number(stdout) <= small.processes, `there were ${stdout.trim()} processes`)
      await requireWorks(workspace)
      return `of 150 at once there were ${stdout.trim()} with ${small.processes} allowed`
    },
  ),
  disk: when(
    ({ limits }) => limits.diskBytes !== null,
    async (subject) => {
      const workspace = await openLimited(subject, "diskBytes")
      await workspace.writeFile("seed", "x".repeat(mebibyte))
      const write =
        "for i in $(seq 1 40); do cat seed >file$i || exit 1; sleep 0.05; done; sleep 20; echo all"
      const printed = await workspace.exec(write).then(
        ({ stdout }) => stdout,
        () => "",
      )
      requireEqual("what the writer printed at its end", printed, "")
      await workspace.exec("rm -f file*")
      await workspace.writeFile("file", "fits")
      await requireWorks(workspace)
      return `40 MiB did not fit into ${small.diskBytes / mebibyte}, and without them there was room`
    },
  ),
})
