import { readFileSync } from "node:fs"
import { createTerminal, guardConsole } from "../../src/cli/output/terminal.ts"
import { runCommandLine } from "../../src/cli/run-command-line.ts"

/** Runs many command lines on one terminal, because a process each would take minutes. */
const lines: string[][] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
process.setMaxListeners(0)
const terminal = createTerminal()
guardConsole(terminal)
for (const line of lines) {
  await terminal.print("=====\n")
  await runCommandLine(line, terminal)
}
process.exit(0)
