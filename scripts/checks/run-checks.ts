import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { performance } from "node:perf_hooks"
import { repositoryRoot } from "../repository.ts"

/** Name → program and arguments. A check says by its exit code whether it passed. */
export type Checks = Readonly<Record<string, readonly string[]>>

/** Runs all checks at once; prints a line for each, and the output of those that failed. */
export async function runChecks(checks: Checks, print: (text: string) => void): Promise<boolean> {
  const outcomes = Object.entries(checks).map(async ([name, command]) => {
    const started = performance.now()
    const { passed, output } = await run(command)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    print(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`)
    if (!passed) print(output.trimEnd())
    return passed
  })
  return (await Promise.all(outcomes)).every(Boolean)
}

function run(command: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const [program = "", ...args] = command
  const path = [join(repositoryRoot, "node_modules", ".bin"), process.env.PATH].join(delimiter)
  const child = spawn(program, args, {
    cwd: repositoryRoot,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ passed: false, output: error.message }))
    child.on("close", (code) => resolve({ passed: code === 0, output }))
  })
}
