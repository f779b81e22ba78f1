import type { CallContext, TerminalEnding } from "../../../contract/index.ts"
import { callBeside } from "../../sandbox-api/call-beside.ts"
import type { JudgedCommand } from "../../sandbox-api/command.ts"
import type { TerminalPlaces } from "../../terminals/terminal-places.ts"
import { judgedCommand, programOf, type StartDeps, startDirectory } from "./judged-command.ts"
import type { EndEvent } from "./process-messages.ts"
import { exited, killed, type RunningProcess, tellEnd } from "./running-process.ts"

export interface TerminalDeps extends StartDeps {
  readonly places: TerminalPlaces
}

/** Opens a terminal with a program in it. It stays open without its client. */
export async function startTerminal(deps: TerminalDeps): Promise<RunningProcess> {
  const { sandbox, request, events, table, beside } = deps
  const { session, stored } = sandbox
  const { process: config, tag, pty } = request
  const { cols: columns = 80, rows = 24 } = pty?.size ?? {}

  async function run(
    given: JudgedCommand,
    context: CallContext,
    open: (one: RunningProcess) => void,
  ) {
    const workspace = await context.workspace()
    const cwd = await startDirectory(workspace, given.cwd, context.signal)
    const leave = deps.places.take()
    const terminal = await workspace
      .openTerminal({
        ...{ command: programOf(config, given.command), cwd, columns, rows },
        ...{ env: { ...stored.env, ...given.env }, signal: context.signal },
      })
      .catch((error: unknown) => {
        leave()
        throw error
      })
    let forget = () => {}
    const one: RunningProcess = {
      ...{ pid: table.newNumber(), config, tag, events },
      // Ctrl-D is how the end of the input is typed.
      input: { kind: "pty", write: terminal.write, end: () => terminal.write("\x04") },
      resize: terminal.resize,
      signal: close,
    }
    // Not when its output ends, which may be late: a listener that reads slowly holds that back.
    async function close(): Promise<void> {
      forget()
      await terminal.close()
      leave()
    }
    forget = table.add(stored.id, one)
    const late =
      deps.timeoutMs === null ? () => {} : deps.clock.after(deps.timeoutMs, () => void close())
    open(one)
    try {
      for await (const bytes of terminal.output) {
        context.output({ stream: "stdout", bytes })
        await events.send({ data: { pty: Buffer.from(bytes).toString("base64") } }, bytes.length)
      }
      return { ending: await terminal.ended, cwd: cwd ?? workspace.cwd }
    } finally {
      late()
      forget()
      leave()
      await terminal.close()
    }
  }

  let end: EndEvent | null = null
  const call = callBeside<RunningProcess>(beside, {
    ...{ session, tool: "shell.exec", input: judgedCommand(config), signal: deps.signal },
    async work(given, { context, open }) {
      const startedMs = deps.clock.now()
      const { ending, cwd } = await run(given as JudgedCommand, context, open)
      end = endOf(ending)
      return {
        ...{ kind: "command", stdout: "", stderr: "", exit_code: end.exitCode, cwd },
        duration_ms: deps.clock.now() - startedMs,
      }
    },
  })
  tellEnd(events, call.ended, () => end)
  return call.opened
}

function endOf(ending: TerminalEnding): EndEvent {
  switch (ending.kind) {
    case "exited":
      return exited(ending.exitCode)
    case "closed":
      return killed("SIGKILL")
    case "gone":
      return killed("SIGKILL", ending.why)
    default:
      return ending satisfies never
  }
}
