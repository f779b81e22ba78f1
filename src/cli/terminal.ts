import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

/** Where a command writes: answers to standard output, everything else to standard error. */
export interface Terminal {
  /** A person reads standard output; otherwise it is JSON for a program. */
  readonly forPeople: boolean
  /** Standard error is a terminal, so progress can be shown on it. */
  readonly showsProgress: boolean
  print(text: string): Promise<void>
  note(text: string): void
  style(style: Style, text: string): string
}

export function createTerminal(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Terminal {
  // A reader that has seen enough (`| head`) closes the pipe: that ends the command, quietly.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  // Notes that nobody reads any more are no reason to end.
  stderr.on("error", () => {})
  return {
    forPeople: stdout.isTTY === true,
    showsProgress: stderr.isTTY === true,
    print: (text) =>
      new Promise((resolve) => {
        stdout.write(text, () => resolve())
      }),
    note: (text) => {
      stderr.write(text)
    },
    style: (style, text) =>
      stdout.isTTY ? styleText(style, text, { stream: stdout, validateStream: true }) : text,
  }
}
