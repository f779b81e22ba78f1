import type { CallEffects, ExecResult, Workspace } from "../../contract/index.ts"
import type { SandboxObservation } from "../../runtime/index.ts"
import type { Pool } from "../../sandbox/index.ts"

/** Looks at what a call does in a sandbox, and counts what is cut from what commands print. */
export async function observeCall(
  pool: Pool,
  sandbox: string,
  call: string,
): Promise<SandboxObservation> {
  const observation = await pool.observe(sandbox, call)
  let omitted = 0
  const count = (result: ExecResult) => {
    omitted += result.omitted.stdout + result.omitted.stderr
    return result
  }
  return {
    watched(given: Workspace) {
      const workspace = observation.watched(given)
      return {
        ...workspace,
        exec: async (command, options) => count(await workspace.exec(command, options)),
        runCode: async (language, code, options) =>
          count(await workspace.runCode(language, code, options)),
      }
    },
    async end(cutBytes) {
      const effects = await observation.end()
      return { ...effects, output: outputOf(omitted, cutBytes) }
    },
  }
}

function outputOf(omitted: number, cutBytes: number | null): CallEffects["output"] {
  if (cutBytes === null) {
    return { unknown: "whole parts of the answer were left out, which nobody counts in bytes" }
  }
  // What a text lacked before counts again when it is cut once more.
  if (omitted > 0 && cutBytes > 0) return { unknown: "the output was cut twice" }
  return { cut: omitted + cutBytes }
}
