import { type InferSchema, ToolFailure, type Workspace } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import type { UsableSandbox } from "../../sandbox-api/api-sandboxes.ts"
import type { BesideDeps } from "../../sandbox-api/call-beside.ts"
import { type JudgedCommand, judgedInput } from "../../sandbox-api/command.ts"
import type { Broadcast } from "../broadcast.ts"
import type { ProcessEvent, processRequests } from "./process-messages.ts"
import type { ProcessTable } from "./process-table.ts"
import type { ProcessConfig } from "./running-process.ts"

export interface StartDeps {
  readonly beside: BesideDeps
  readonly clock: Clock
  readonly sandbox: UsableSandbox
  readonly request: InferSchema<typeof processRequests.start>
  /** Where what happens to it is told, from its first byte on. */
  readonly events: Broadcast<ProcessEvent>
  readonly table: ProcessTable
  /** Ends the wait until it may start. */
  readonly signal: AbortSignal
  /** After this long it is killed; null for never. */
  readonly timeoutMs: number | null
}

/** What E2B's SDKs wrap each command in. */
const shells = new Set(["/bin/bash", "bash", "/bin/sh", "sh"])

/** Where the script of a shell is in its arguments; -1 for a program that is none. */
function scriptIndex({ cmd, args = [] }: ProcessConfig): number {
  const at = args.indexOf("-c")
  const isShell =
    shells.has(cmd) && at !== -1 && args.slice(0, at).every((one) => /^-\w+$/.test(one))
  return isShell ? at + 1 : -1
}

/** What is judged, recorded and shown to a person: the script of a shell, or the whole command line. */
export function judgedCommand(config: ProcessConfig): JudgedCommand {
  const script = config.args?.[scriptIndex(config)]
  const isAlone = scriptIndex(config) === (config.args?.length ?? 0) - 1
  const command = script !== undefined && isAlone ? script : [config.cmd, ...(config.args ?? [])]
  return judgedInput({ command, cwd: config.cwd, env: config.envs })
}

/** The program as it was asked for, with the command that was judged: a person may have written another one. */
export function programOf(config: ProcessConfig, command: string): readonly string[] {
  const { args = [] } = config
  // An image may have its bash elsewhere.
  const program = [config.cmd === "/bin/bash" ? "bash" : config.cmd, ...args]
  if (command === judgedCommand(config).command) return program
  return ["bash", "-c", command]
}

/** Any directory of the sandbox: what a client may do there is for the policy and the sandbox to say. */
export async function startDirectory(
  workspace: Workspace,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (cwd === undefined || cwd === "") return undefined
  const isDirectory = await workspace.stat(cwd, { signal }).then(
    ({ type }) => type === "directory",
    () => false,
  )
  if (isDirectory) return cwd
  const message = `There is no directory ${JSON.stringify(cwd)}.`
  throw new ToolFailure({ kind: "invalid_args", message, field: "cwd" })
}
