import { isObject } from "./json.ts"

/** A result as a person would want to read it; nothing that changes its meaning is left out. */
export function readableResult(result: unknown): string {
  if (!isObject(result)) return JSON.stringify(result)
  switch (result.kind) {
    case "command":
      return readableCommand(result)
    case "listing":
      return readableListing(result)
    default:
      return typeof result.text === "string" ? result.text : JSON.stringify(result)
  }
}

/** What it printed, and how it ended where that was not simply well. */
function readableCommand(result: Record<string, unknown>): string {
  const output = [result.stdout, result.stderr].filter(
    (text): text is string => typeof text === "string" && text !== "",
  )
  const killed = typeof result.killed_by === "string" ? `, killed by ${result.killed_by}` : ""
  const ending = `[exit code ${String(result.exit_code)}${killed}]`
  const body = output.map((text) => text.replace(/\n$/, "")).join("\n")
  if (body === "") return ending
  return result.exit_code === 0 && killed === "" ? body : `${body}\n${ending}`
}

function readableListing(result: Record<string, unknown>): string {
  const entries = Array.isArray(result.entries) ? result.entries.filter(isObject) : []
  const names = entries.map((entry) => `${entry.path}${entry.type === "directory" ? "/" : ""}`)
  const more = result.truncated === true ? ", and more" : ""
  return [
    ...names,
    `[${String(result.entry_count)} entries in ${String(result.path)}${more}]`,
  ].join("\n")
}
