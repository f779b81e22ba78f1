import { limits, ToolFailure, type Workspace } from "../../../contract/index.ts"
import { trimEndOf } from "../../../kit/index.ts"
import { splitLines } from "../../../node/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { searchLimits } from "../../limits.ts"

export interface RipgrepRun {
  readonly workspace: Workspace
  /** Where it runs, absolute. */
  readonly directory: string
  readonly arguments: readonly string[]
  /** The byte that ends each record of its output. */
  readonly separator: number
  readonly onRecord: (record: string) => "more" | "enough"
  readonly signal: AbortSignal
}

export interface RipgrepEnd {
  /** "stopped" when enough was seen; then nothing else is known. */
  readonly kind: "exited" | "stopped"
  readonly exitCode: number
  readonly stderr: string
  /** Records too long to look at. */
  readonly dropped: number
  /** The end of its output was lost. */
  readonly cut: boolean
}

/** Runs ripgrep inside the sandbox and stops it as soon as its reader has enough. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  const { can } = run.workspace
  if (can.ripgrep === null) throw noRipgrep()
  const stop = new AbortController()
  const split = splitLines(searchLimits.recordBytes, run.separator)
  let [dropped, pendingBytes] = [0, 0]
  const read = (bytes: Uint8Array) => {
    for (const record of split(bytes)) {
      if (record === null) dropped += 1
      else if (!stop.signal.aborted && run.onRecord(record) === "enough") stop.abort()
    }
    const end = bytes.lastIndexOf(run.separator)
    pendingBytes = end === -1 ? pendingBytes + bytes.length : bytes.length - end - 1
    if (pendingBytes > searchLimits.recordBytesMost) stop.abort()
  }
  const maxOutputBytes = can.liveOutput ? limits.textBytes : limits.outputBytes
  try {
    const result = await run.workspace.exec([can.ripgrep, ...run.arguments], {
      cwd: run.directory,
      // A person's own configuration must not change what a search means.
      env: { RIPGREP_CONFIG_PATH: "" },
      signal: AbortSignal.any([run.signal, stop.signal]),
      maxOutputBytes,
      onOutput: ({ stream, bytes }) => {
        if (can.liveOutput && stream === "stdout") read(bytes)
      },
    })
    const cut = !can.liveOutput && result.omitted.stdout > 0
    if (!can.liveOutput) read(cut ? headOf(result.stdoutBytes) : result.stdoutBytes)
    const { exitCode, stderr } = result
    return { kind: "exited", exitCode, stderr, dropped, cut }
  } catch (error) {
    if (run.signal.aborted || !stop.signal.aborted) throw error
    const cut = pendingBytes > searchLimits.recordBytesMost
    return { kind: "stopped", exitCode: 0, stderr: "", dropped, cut }
  }

  function headOf(bytes: Uint8Array): Uint8Array {
    return bytes.subarray(0, Math.floor(maxOutputBytes / 2))
  }
}

/** The one line of ripgrep's complaint that says what is wrong, without a full stop. */
export function complaint(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const reason = lines.find((line) => line.startsWith("error:")) ?? lines[0] ?? "no reason given"
  return trimEndOf(reason.replace(/^(?:rg|error|grep|find): /, "").slice(0, 300), ".")
}

function noRipgrep(): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message: "This sandbox has no ripgrep." })
}

/** ripgrep says "./name" for what it finds in ".", and not every build of it does. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path
}

export function couldNotLook(stderr: string): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `The search could not run: ${complaint(stderr)}.`,
  })
}

/** ripgrep exits with 2 for a pattern it can't read; anything else went wrong on its own. */
export function couldNotSearch(
  query: { readonly fixed: boolean },
  end: Pick<RipgrepEnd, "exitCode" | "stderr">,
): ToolFailure {
  const message = `The search could not run: ${complaint(end.stderr)}.`
  if (end.exitCode !== 2) return new ToolFailure({ kind: "execution_error", message })
  return invalidArgument(
    "pattern",
    message,
    query.fixed
      ? "text of one line"
      : 'a regular expression such as "function \\w+\\(", or fixed: true for plain text',
  )
}
