import { replaceOmissions } from "../envelope/cut-text.ts"
import type { Envelope, Success } from "../envelope/envelope.ts"
import { isObject } from "../schema/json.ts"
import { failureText } from "./failure-text.ts"

/** Flynn's tool result. */
export interface FlynnResult {
  readonly success: boolean
  readonly output: string
  readonly error?: string
}

/** Text for a model and a person. A command that its timeout ended failed, with its output still there. */
export function renderForFlynn(
  envelope: Envelope,
  show: (envelope: Success) => string,
): FlynnResult {
  if (!envelope.ok) return { success: false, output: "", error: failureText(envelope) }
  const { result, warnings = [] } = envelope
  const notes = warnings.map((warning) => `[warning] ${warning}`)
  const output = joinParts(outputOf(envelope, show), ...notes)
  const isLate = isObject(result) && result.timed_out === true && typeof result.error === "string"
  return isLate
    ? { success: false, output, error: String(result.error) }
    : { success: true, output }
}

function outputOf(envelope: Success, show: (envelope: Success) => string): string {
  const { result } = envelope
  if (isObject(result) && result.kind === "file") return fileOutput(result)
  const isCommand = isObject(result) && result.kind === "command"
  return replaceOmissions(isCommand ? commandOutput(result) : show(envelope), hiddenNote)
}

/** What is in the file, as it is there. */
function fileOutput(result: Record<string, unknown>): string {
  const hidden = Number(result.size) - Number(result.offset) - Number(result.bytes)
  const content = String(result.text ?? result.base64 ?? result.data ?? "")
  return hidden > 0 ? `${content}\n${hiddenNote(hidden)}` : content
}

/** What a command wrote, as it wrote it; how it ended only where that is worth a word. */
function commandOutput(result: Record<string, unknown>): string {
  const { stdout, stderr, exit_code: exitCode, killed_by: killedBy } = result
  return joinParts(
    String(stdout),
    String(stderr),
    exitCode === 0 ? "" : `[exit code ${exitCode}]`,
    killedBy === undefined ? "" : `[ended by the ${killedBy}]`,
  )
}

function hiddenNote(bytes: number): string {
  return `[Output truncated - ${bytes} bytes hidden]`
}

/** One after the other, each on a line of its own; the last keeps its end. */
function joinParts(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .reduce((joined, part) => {
      const gap = joined === "" || joined.endsWith("\n") ? "" : "\n"
      return `${joined}${gap}${part}`
    }, "")
}
