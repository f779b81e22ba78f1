/** What a command did, as far as a warning depends on it. */
export interface FinishedCommand {
  readonly command: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const brokenPipe = 141
/** An escaped character, a text in single or double quotes, or a comment up to its line's end. */
const quotedOrComment = /\\[\s\S]|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|(?<![^\s;|&()])#[^\n]*/g

/** What a model should know about a command's end beyond its output, in the same words everywhere. */
export function commandWarnings(finished: FinishedCommand): readonly string[] {
  const { command, exitCode, stdout, stderr } = finished
  if (exitCode === brokenPipe) {
    return [
      "Exit code 141: a command in a pipe was still writing when its reader stopped (as in `... | head`). The output is usually what was wanted.",
    ]
  }
  if (exitCode !== 0 || stdout !== "" || stderr !== "") return []
  const bare = withoutQuotes(command)
  const reasons = [
    ...(hasPipe(bare) ? ["has a pipe"] : []),
    ...(discardsErrors(bare) ? ["throws error messages away"] : []),
  ]
  if (reasons.length === 0) return []
  return [
    `No output and exit code 0, but the command ${reasons.join(" and ")}, so a failure may be hidden. If output was expected, run its first part alone and keep its error messages.`,
  ]
}

/** Quoted text and comments are not syntax: `grep "a|b"` has no pipe. */
function withoutQuotes(command: string): string {
  return command.replaceAll(quotedOrComment, (part) => (part.startsWith("#") ? "" : "_"))
}

function hasPipe(command: string): boolean {
  return /(?<![|>])\|(?!\|)/.test(command)
}

function discardsErrors(command: string): boolean {
  return (
    /(?:2|&)>>?\s*\/dev\/null/.test(command) ||
    /2>&-/.test(command) ||
    />>?\s*\/dev\/null\s+2>&1/.test(command)
  )
}
