import { statSync } from "node:fs"
import { containFaults } from "../../node/index.ts"
import type { CallOptions } from "../../session/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { openSession } from "../flags/open-session.ts"
import { readInput, readSandbox } from "../flags/read-flags.ts"
import { askOnTerminal } from "../output/ask-on-terminal.ts"
import { printAnswer, printEnvelope } from "../output/print-envelope.ts"
import { showProgress } from "../output/show-progress.ts"
import { faultLog } from "../output/terminal.ts"
import { endOnInterrupt } from "../stop-signal.ts"

/** `toolkeep call`. */
export const call: CommandRun = async (given, terminal) => {
  const [tool, input = "{}"] = given.positionals
  const batch = given.is("batch")
  if (batch && tool !== undefined)
    throw new UsageError("--batch reads the tools from standard input.")
  if (!batch && tool === undefined) {
    throw new UsageError(
      "no tool given: toolkeep call <tool> '{...}'; toolkeep tools lists the tools.",
    )
  }
  const options = readOptions(given)
  using _contained = containFaults(faultLog(terminal))
  const directory = given.text("cwd")
  // Standard input that the call itself reads is not a person's.
  const approve = batch || input === "-" ? undefined : askOnTerminal(terminal)
  const { keep, session } = await openSession(given, terminal, { directory, approve })
  try {
    // Without isolation a sandbox is a directory of this machine, and --cwd says which.
    const isDirectory = keep.host.can.isolation === "none"
    if (isDirectory && directory !== undefined) requireDirectory(directory)
    const bound = isDirectory ? options : { ...options, cwd: directory }
    if (batch) {
      const { callBatch } = await import("./call-batch.ts")
      return await callBatch(session, bound, terminal)
    }

    const argumentText = input === "-" ? await readInput() : input
    const running = session.start(tool ?? "", argumentText, bound)
    const silent = !terminal.forPeople || session.dialect !== null
    const progress = showProgress(session, running, { terminal, silent })
    const interrupted = endOnInterrupt([running], terminal)
    const envelope = await running.envelope
    progress.stop()
    const { show } = session
    if (session.dialect) await printAnswer(session.render(envelope), terminal)
    else await printEnvelope(envelope, { terminal, show, outputShown: progress.shown() })
    if (interrupted()) return 130
    return envelope.ok ? 0 : 1
  } finally {
    await keep.close()
  }
}

function readOptions(given: Arguments): CallOptions {
  const sandbox = readSandbox(given)
  const agent = given.text("agent")
  const provider = given.text("provider")
  return { sandbox, agent, provider, timeoutMs: readTimeout(given.text("timeout")) }
}

function readTimeout(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const milliseconds = Number(given)
  if (Number.isInteger(milliseconds) && milliseconds > 0) return milliseconds
  throw new UsageError(
    `--timeout must be a positive number of milliseconds, such as --timeout 5000.`,
  )
}

function requireDirectory(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  throw new UsageError(`--cwd ${directory} is not a directory on this machine. Create it first.`)
}
