import { spawn } from "node:child_process"
import { join } from "node:path"
import { styleText } from "node:util"
import { repositoryRoot } from "./repository.ts"

interface Step {
  readonly shows: string
  readonly args: readonly string[]
  /** What the command has to end with; 1 where the step shows a refusal. */
  readonly exitCode: 0 | 1
}

const call = (tool: string, input: object, ...flags: string[]) => [
  "call",
  tool,
  JSON.stringify(input),
  ...flags,
]

const steps: readonly Step[] = [
  {
    shows: "Which sandboxes work on this machine, and what each can promise.",
    args: ["doctor"],
    exitCode: 0,
  },
  {
    shows: "A shell command runs in a sandbox in memory; the answer is an envelope.",
    args: call("shell.exec", { command: "echo hello > note.txt; cat note.txt | tr a-z A-Z" }),
    exitCode: 0,
  },
  {
    shows: "A model sent a number as text: it is read as meant, and a warning says so.",
    args: call("shell.exec", { command: "echo still fine", timeout_ms: "2000" }),
    exitCode: 0,
  },
  {
    shows: "A path outside the workspace is refused before anything is read.",
    args: call("file.read", { path: "/etc/passwd" }),
    exitCode: 1,
  },
  {
    shows: "A command that never ends is ended at its timeout, with exit code 124.",
    args: call("shell.exec", { command: "while true; do :; done", timeout_ms: 500 }),
    exitCode: 0,
  },
  {
    shows: 'The policy profile "minimal" does not allow a shell.',
    args: call("shell.exec", { command: "echo never run" }, "--profile", "minimal"),
    exitCode: 1,
  },
]

const next = [
  "npm run -s toolkeep -- tools      every tool, and what it takes",
  "npm run -s toolkeep -- --help     every command",
  "README.md                         the same from a program, and with your own tools",
]

function shellWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Its output goes straight to the reader, who sees what the command itself would show. */
function runCli(args: readonly string[]): Promise<number | null> {
  const main = join(repositoryRoot, "src/cli/main.ts")
  const child = spawn(process.execPath, [main, ...args], {
    cwd: repositoryRoot,
    // Six runs of the same sources: without this each one strips their types again.
    env: { ...process.env, NODE_COMPILE_CACHE: join(repositoryRoot, "node_modules/.cache/node") },
    stdio: ["ignore", "inherit", "inherit"],
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
}

const print = (text: string) => new Promise((done) => process.stdout.write(`${text}\n`, done))

async function showStep(step: Step, number: number): Promise<boolean> {
  const command = ["npm", "run", "-s", "toolkeep", "--", ...step.args].map(shellWord).join(" ")
  await print(
    `\n${styleText("bold", `${number}. ${step.shows}`)}\n${styleText("cyan", `$ ${command}`)}`,
  )
  const exitCode = await runCli(step.args)
  if (exitCode === step.exitCode) return true
  console.error(`This should have ended with exit code ${step.exitCode}, not ${exitCode}.`)
  return false
}

await print("Toolkeep: tools for AI agents that keep their word. A short tour of real calls.")
let asExpected = true
for (const [index, step] of steps.entries()) {
  asExpected = (await showStep(step, index + 1)) && asExpected
}
await print(`\n${styleText("bold", "What next")}\n${next.join("\n")}`)
process.exitCode = asExpected ? 0 : 1
