import { type ExecResult, limits, type Workspace } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import { searchLimits } from "../../limits.ts"

/** A script for any POSIX shell, for sandboxes without ripgrep: BusyBox, containers of others, the virtual bash. */
export interface PosixRun {
  readonly workspace: Workspace
  /** Where it runs, absolute. */
  readonly directory: string
  readonly script: string
  /** Its positional parameters. */
  readonly names?: readonly string[]
  readonly signal: AbortSignal
}

export interface PosixEnd extends Pick<ExecResult, "exitCode" | "stderr"> {
  readonly stdout: string
  /** The end of its output was lost. */
  readonly cut: boolean
}

export async function runPosix(run: PosixRun): Promise<PosixEnd> {
  const { workspace, directory, script, names = [], signal } = run
  const command = names.length === 0 ? script : `set -- ${quoteArguments(names)}\n${script}`
  const { exitCode, stderr, stdoutBytes, omitted } = await workspace.exec(command, {
    cwd: directory,
    // Characters and not bytes, wherever there is such a locale; and messages in English.
    env: { LC_ALL: "C.UTF-8" },
    maxOutputBytes: limits.outputBytes,
    signal,
  })
  const cut = omitted.stdout > 0
  const bytes = cut ? stdoutBytes.subarray(0, Math.floor(limits.outputBytes / 2)) : stdoutBytes
  return { exitCode, stderr, stdout: new TextDecoder().decode(bytes), cut }
}

/** Names in groups that fit into one command line. */
export function batchNames(names: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let room = 0
  for (const name of names) {
    const bytes = Buffer.byteLength(name) + 1
    if (bytes > room) {
      batches.push([])
      room = searchLimits.argumentBytes
    }
    batches.at(-1)?.push(name)
    room -= bytes
  }
  return batches
}
