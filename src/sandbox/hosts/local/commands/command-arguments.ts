import { ToolFailure } from "../../../../contract/index.ts"

/** The longest single argument that Linux passes to a program is 128 KiB; a UTF-16 unit is at most 3 bytes. */
const unitsPerArgument = 40_000

/** What to start: the list as it is, or bash with the text as its script. */
export function commandArguments(
  command: string | readonly string[],
  bash: string,
): readonly [program: string, ...rest: string[]] {
  const parts = typeof command === "string" ? [command] : command
  if (parts.some((part) => part.includes("\0"))) throw refused("The command contains a NUL.")
  if (typeof command !== "string") {
    const [program, ...rest] = command
    if (!program) throw refused("The command is empty.")
    return [program, ...rest]
  }
  // "--" ends bash's options: the text may itself begin with a dash.
  const shell = [bash, "--noprofile", "--norc", "-c", "--"] as const
  if (command.length <= unitsPerArgument) return [...shell, command]
  const join = 'printf -v toolkeep_text %s "$@"; set --; eval "unset toolkeep_text; $toolkeep_text"'
  return [...shell, join, "bash", ...slices(command)]
}

function slices(text: string): string[] {
  const all: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + unitsPerArgument)
    // Both halves of a surrogate pair stay together, or each would become a replacement character.
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end -= 1
    all.push(text.slice(start, end))
    start = end
  }
  return all
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function refused(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field: "command" })
}
