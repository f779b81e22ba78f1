import { spawn } from "node:child_process"
import { expect } from "vitest"
import { commandLine } from "../support/built-package.ts"

/** The command line on a real pseudo-terminal, made by util-linux's `script`, with a person who reads and types. */
export interface OnTerminal {
  /** Resolves when the screen has shown this, after what was waited for before. */
  sees(text: string): Promise<void>
  type(text: string): void
  readonly done: Promise<{ readonly exitCode: number | null; readonly seen: string }>
}

export function startOnTerminal(args: readonly string[], places: Places): OnTerminal {
  // Replaces the shell that `script` starts: dash would wait for it, and end by Ctrl-C itself.
  return startLine(`exec ${shellLine(args)}`, places)
}

interface Places {
  readonly home: string
  readonly cwd: string
}

/** As a person would type it. */
export function shellLine(args: readonly string[]): string {
  const words = [process.execPath, commandLine, ...args]
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
}

/** Any line of a shell on such a terminal. */
export function startLine(line: string, { home, cwd }: Places): OnTerminal {
  const plain = { CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined }
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd,
    env: { ...process.env, ...plain, TERM: "xterm-256color", TOOLKEEP_HOME: home },
  })
  let seen = ""
  let looked = 0
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text
  })
  const done = new Promise<{ exitCode: number | null; seen: string }>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, seen: seen.replaceAll("\r\n", "\n") }))
  })
  return {
    async sees(text) {
      await expect.poll(() => seen.slice(looked)).toContain(text)
      looked = seen.indexOf(text, looked) + text.length
    },
    type: (text) => child.stdin.write(text),
    done,
  }
}
