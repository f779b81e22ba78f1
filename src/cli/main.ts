#!/usr/bin/env node
// Alone: an old Node could not load what else there is.
const { runtimeProblem } = await import("../node/runtime-problem.ts")
const problem = runtimeProblem(process.versions)
if (problem === null) {
  // First, and the rest only then: compiled code is kept between runs.
  process.getBuiltinModule("node:module").enableCompileCache()
  const { runCommandLine } = await import("./run-command-line.ts")
  const { createTerminal, guardConsole, guardFaults } = await import("./output/terminal.ts")

  const terminal = createTerminal()
  guardConsole(terminal)
  guardFaults(terminal)
  process.exitCode = await runCommandLine(process.argv.slice(2), terminal)
  // Everything is answered and closed. Whatever still holds this process gets a second, and no more.
  setTimeout(() => process.exit(), 1_000).unref()
} else {
  process.exitCode = 1
  process.stderr.write(`toolkeep: ${problem}\n`)
}
