import type { MarkdownBlock } from "./markdown-blocks.ts"

/**
 * How a `sh` block in a document reads.
 *
 * A block in which a line starts with "$ " is a transcript: such a line is a command, the lines up to
 * the next one are what it prints (both streams), and a command with none under it may print anything.
 * In any other block every line is a command. A line that ends with "\" goes on in the next one.
 *
 * `...` in shown output stands for any text. White space is not compared, so that one long line of
 * JSON may be shown over several. A command has to end with exit code 0, unless it ends with the
 * comment "# exit N".
 */
export interface ShownCommand {
  readonly line: number
  readonly command: string
  readonly exitCode: number
  /** What the document shows as output, or null where it shows none. */
  readonly output: string | null
}

const prompt = "$ "

export function shownCommands(block: MarkdownBlock): ShownCommand[] {
  const isTranscript = block.lines.some((line) => line.startsWith(prompt))
  const commands: ShownCommand[] = []
  let output: string[] = []
  const endCommand = () => {
    const last = commands.pop()
    const text = output.join("\n").trim()
    if (last) commands.push({ ...last, output: text === "" ? null : text })
    output = []
  }
  for (let at = 0; at < block.lines.length; at += 1) {
    const first = block.lines[at] ?? ""
    if (isTranscript && !first.startsWith(prompt)) {
      output.push(first)
      continue
    }
    endCommand()
    const line = block.line + at
    let command = isTranscript ? first.slice(prompt.length) : first
    while (command.endsWith("\\")) command += `\n${block.lines[++at] ?? ""}`
    if (/^\s*(#|$)/.test(command)) continue
    commands.push({ line, command: command.trim(), exitCode: exitCodeOf(command), output: null })
  }
  endCommand()
  return commands
}

function exitCodeOf(command: string): number {
  return Number(/# exit (\d+)\s*$/.exec(command)?.[1] ?? 0)
}

export function isShownOutput(shown: string, printed: string): boolean {
  const bare = (text: string) => text.replace(/\s+/g, "")
  const parts = bare(shown).split("...")
  const pattern = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")
  return new RegExp(`^${pattern}$`).test(bare(printed))
}
