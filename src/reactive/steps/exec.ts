import { createId } from "../../kit/index.ts"
import type { Input } from "../graph/types.ts"
import { labelOf, resultOf } from "./call-session.ts"
import { addStep, type Instance, imageOf } from "./instance.ts"
import { type AsyncExec, type CommandParams, type ExecResult, runCommands } from "./run-commands.ts"
import type { RunControl } from "./runs.ts"
import type { StepKind } from "./wanted.ts"

export interface ExecParams extends CommandParams {
  /** When absent, "node:22" if the host has it, else the host's default. */
  readonly image?: string | undefined
  /** A brake: false holds it. */
  readonly when?: boolean | undefined
  /** For its type only. */
  readonly result?: ExecResult | undefined
}

/**
 * A command, or several after each other, in a new sandbox of an image. It runs again when its inputs change, which
 * ends a run of the old ones; equal steps are run once.
 */
export function exec(params: Input<ExecParams>): AsyncExec {
  return addStep<ExecParams, ExecResult, AsyncExec>("exec", params, execKind)
}

function execKind(instance: Instance): StepKind<ExecParams> {
  return {
    name: "exec",
    required: ["command"],
    optional: ["image", "files", "stdin", "timeout_ms"],
    isShared: true,
    label: ({ command }) => labelOf(commandText(command)),
    run: (params, control) => runAlone(instance, params, control),
  }
}

export function commandText(command: CommandParams["command"]): string {
  // Names a step, whatever it was given: a pattern that is loaded from TSX was not type-checked.
  return Array.isArray(command) ? command.join(" && ") : String(command)
}

/** In a sandbox of its own, so that its result depends on nothing but its inputs. */
async function runAlone(
  instance: Instance,
  { image: named, ...params }: ExecParams,
  control: RunControl,
): Promise<ExecResult> {
  const { signal, after } = control
  const { session } = instance
  const sandbox = createId("step")
  try {
    const image = await imageOf(instance, named)
    await resultOf(session.call("sandbox.create", { sandbox, image }, { signal }))
    signal.throwIfAborted()
    return await runCommands(params, { session, sandbox, control })
  } finally {
    after(removeSandbox(session, sandbox))
  }
}

/** Not a call: what the step made for itself, nobody has to allow it to clean up. */
export async function removeSandbox(
  session: Instance["session"],
  sandbox: string,
): Promise<boolean> {
  try {
    await session.sandboxes.destroySandbox(sandbox)
    return true
  } catch {
    // It was not made, or is gone; what could not be removed, the session removes at its end.
    return false
  }
}
