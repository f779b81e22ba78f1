import { spawn } from "node:child_process"
import { SandboxManager } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"
import type { Workspace } from "../../src/contract/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** The same command in the other sandbox that people compare this one with: it makes one for each command. */
export async function againstRuntime(workspace: Workspace): Promise<readonly BenchRow[]> {
  await SandboxManager.initialize({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: ["/tmp"], denyWrite: [] },
    ripgrep: { command: rgPath },
  })
  try {
    const wrapped = await SandboxManager.wrapWithSandbox("true")
    const theirs = () =>
      new Promise<void>((resolve, reject) => {
        spawn(wrapped, { shell: true, stdio: "ignore" }).on("close", (code) =>
          code === 0 ? resolve() : reject(new Error(`sandbox-runtime's true exited with ${code}.`)),
        )
      })
    const value = await measureTimeRatio(() => workspace.exec("true"), theirs)
    return [
      {
        id: "against-runtime",
        what: "exec of `true` against @anthropic-ai/sandbox-runtime's wrapped `true` (ratio)",
        value,
        bar: 0.2,
        aim: 0.1,
        better: "lower",
      },
    ]
  } finally {
    await SandboxManager.reset()
  }
}
