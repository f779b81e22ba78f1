import type { Terminal } from "../../contract/index.ts"
import type { Subject } from "./conformance-check.ts"
import { quote, requireThat } from "./require.ts"

/** What a terminal has shown, and how to wait until it shows something. */
export interface TerminalScreen {
  readonly terminal: Terminal
  text(): string
  /** Resolves when this has been shown. */
  shows(text: string): Promise<void>
  /** Resolves with all that was shown when the program is over. */
  readonly whole: Promise<string>
}

/** Runs a command in a terminal of 80 columns and 24 rows, and reads all that it shows. */
export async function openScreen(
  { workspace, signal }: Pick<Subject, "workspace" | "signal">,
  command: string,
): Promise<TerminalScreen> {
  const terminal = await workspace.openTerminal({ command, columns: 80, rows: 24, signal })
  const decoder = new TextDecoder()
  let text = ""
  let tell = () => {}
  let isOver = false
  const read = async () => {
    for await (const bytes of terminal.output) {
      text += decoder.decode(bytes, { stream: true })
      tell()
    }
    isOver = true
    tell()
    return text
  }
  const whole = read()
  return {
    terminal,
    text: () => text,
    async shows(wanted) {
      while (!text.includes(wanted)) {
        requireThat(!isOver, `it ended without ${quote(wanted)} and showed ${quote(text)}`)
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
    },
    whole,
  }
}
