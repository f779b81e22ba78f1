import { spawn } from "node:child_process"
import { once } from "node:events"
import { rgPath } from "@vscode/ripgrep"
import { policyOfProfile } from "../../src/policy/index.ts"
import type { Host } from "../../src/sandbox/index.ts"
import { createSession } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** 100,000 small files in 500 directories; 50 of them have what is looked for. */
const makeFiles = `mkdir tree; cd tree; for i in $(seq 500); do mkdir "d$i"; (cd "d$i"
for j in $(seq 200); do echo "line one of $i $j" > "f$j.txt"; done
if (( i % 10 == 0 )); then echo "the needle" >> f7.txt; fi); done`

export async function searchFiles(host: Host): Promise<readonly BenchRow[]> {
  await using session = createSession({ name: "search", host, policy: policyOfProfile("full") })
  const workspace = await session.workspace()
  await workspace.exec(makeFiles)
  const home = await hostPath(workspace.exec)
  const call = async (tool: string, input: object) => {
    const envelope = await session.call(tool, input)
    if (!envelope.ok) throw new Error(envelope.message)
  }
  const alone = (args: readonly string[]) => async () => {
    const child = spawn(rgPath, [...args], { cwd: home, stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.resume()
    const [code] = await once(child, "close")
    if (code !== 0) throw new Error(`ripgrep exited with ${code}.`)
  }
  const rounds = 7
  return [
    {
      id: "grep",
      what: "file.grep over 100,000 files, against ripgrep alone (ratio)",
      value: await measureTimeRatio(
        () => call("file.grep", { pattern: "needle", path: "tree" }),
        alone(["--line-number", "needle", "tree"]),
        { rounds },
      ),
      bar: 1.5,
      aim: 1.1,
      better: "lower",
    },
    {
      id: "glob",
      what: "file.glob over 100,000 files, against ripgrep alone (ratio)",
      value: await measureTimeRatio(
        () => call("file.glob", { pattern: "**/f7.txt", path: "tree" }),
        alone(["--files", "--glob", "**/f7.txt", "tree"]),
        { rounds },
      ),
      bar: 1.5,
      aim: 1.1,
      better: "lower",
    },
  ]
}

/** Where the sandbox's home is outside: what is bound there says so itself. */
async function hostPath(exec: (command: string) => Promise<{ readonly stdout: string }>) {
  const { stdout } = await exec("awk '$5 == \"/home/user\" { print $4 }' /proc/self/mountinfo")
  return stdout.trim()
}
