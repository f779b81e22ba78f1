import type { Envelope, Failure } from "../envelope/envelope.ts"
import type { FailureKind } from "../envelope/failure-kinds.ts"
import { limits } from "../limits.ts"
import { isObject } from "../schema/json.ts"

const errorKinds: Partial<Record<FailureKind, string>> = {
  invalid_args: "invalid_tool_arguments",
  tool_not_found: "unknown_tool",
}

/** OpenRath's result text: fixed fields for each kind of result, cut at its own limits. */
export function renderForOpenRath(envelope: Envelope): string {
  if (!envelope.ok) return JSON.stringify(failureFields(envelope))
  const body = withWarnings(resultFields(envelope.result), envelope.warnings)
  return cutCharacters(JSON.stringify(body), limits.openrath.jsonCharacters)
}

/** Beside the fields of the result, or around a result that has no room for them. */
export function withWarnings(result: unknown, warnings: readonly string[] | undefined): unknown {
  if (!warnings) return result
  return isObject(result) && !("warnings" in result)
    ? { ...result, warnings }
    : { result, warnings }
}

function failureFields(failed: Failure): Record<string, unknown> {
  const { kind, message, field, expected } = failed
  return {
    ok: false,
    error_kind: errorKinds[kind] ?? "tool_execution_exception",
    message,
    detail: { kind, field: field ?? null, expected: expected ?? null },
  }
}

function resultFields(result: unknown): unknown {
  if (typeof result === "boolean") return { ok: result }
  if (!isObject(result)) return result
  switch (result.kind) {
    case "command":
      return {
        exit_code: result.exit_code,
        stdout: result.stdout,
        stderr: result.stderr,
        elapsed_ms: result.duration_ms,
      }
    case "file":
      return {
        data: cutCharacters(
          String(result.data ?? result.text ?? result.base64),
          limits.openrath.fileCharacters,
        ),
      }
    case "listing":
      return Array.isArray(result.entries)
        ? result.entries.slice(0, limits.openrath.entries)
        : result.entries
    case "write":
      return { bytes_written: result.bytes_written }
    case "code":
      return {
        text: result.text ?? null,
        stdout: result.stdout,
        stderr: result.stderr,
        error: result.error ?? null,
      }
    default:
      return result
  }
}

/** Counts characters, as OpenRath does, and never splits a surrogate pair. */
function cutCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const note = " [... the rest is left out]"
  return text.slice(0, most - note.length).replace(/[\uD800-\uDBFF]$/, "") + note
}
