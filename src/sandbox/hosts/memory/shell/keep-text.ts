import type { Bash, Command, ExecResult } from "just-bash"
import { textOfBytes } from "./byte-text.ts"
import { textMark } from "./syntax/mark-text.ts"

/** Has commands that `markText` marked answer with text where they would answer with bytes. */
export function keepText(bash: Bash): void {
  const { commands } = bash as unknown as { readonly commands: ReadonlyMap<string, Command> }
  for (const command of commands.values()) {
    const { execute } = command
    command.execute = async (parameters, context) => {
      const isMarked = context.env.has(textMark)
      const result = await execute(parameters, context)
      return isMarked ? asText(result) : result
    }
  }
}

function asText(result: ExecResult): ExecResult {
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary"
  if (!isBytes) return result
  const { stdoutEncoding: _stdoutEncoding, ...rest } = result
  return { ...rest, stdout: textOfBytes(Buffer.from(result.stdout, "latin1")), stdoutKind: "text" }
}
