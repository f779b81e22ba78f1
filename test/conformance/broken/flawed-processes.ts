import { ToolFailure } from "../../../src/contract/index.ts"
import {
  type CommandRun,
  type Host,
  type OperationControl,
  type Sandbox,
  WorkspaceError,
} from "../../../src/sandbox/index.ts"
import { alterOutcomes, alterRuns, asBytes, asText } from "./alter-commands.ts"
import {
  alterSandboxes,
  type BrokenHost,
  destroyedLate,
  type Handlers,
  plain,
  replaceSandboxes,
  runScript,
} from "./broken-host.ts"

const never = new AbortController().signal

/** Hosts that run programs given as text, or processes in the background, wrongly. */
export const flawedProcesses: readonly BrokenHost[] = [
  flawed("reports success for every program", ["code.exit-code", "background.exit-code"], (good) =>
    alterOutcomes(good, () => ({ exitCode: 0 })),
  ),
  flawed("takes a program's backslashes away", ["code.prints"], (good) =>
    alterRuns(good, ({ command }) => ({
      command:
        typeof command === "string" ? command : command.map((word) => word.replaceAll("\\", "")),
    })),
  ),
  flawed("gives a program no input", ["code.stdin"], (good) =>
    alterRuns(good, () => ({ stdin: new Uint8Array() })),
  ),
  flawed("runs every program at home", ["code.directory"], (good) =>
    alterSandboxes(good, ({ home }) => ({
      "command.run": (run, control, sandbox) =>
        sandbox.perform<"command.run">({ ...run, cwd: home }, control),
    })),
  ),
  flawed("gives a program no variables", ["code.environment"], (good) =>
    alterRuns(good, () => ({ env: {} })),
  ),
  flawed("ends a program long after its deadline", ["code.timeout"], (good) =>
    alterRuns(good, ({ timeoutMs }) => ({ timeoutMs: timeoutMs && timeoutMs + 4_000 })),
  ),
  flawed("lists a program that is not there", ["code.programs"], (good) => {
    const can = { ...good.can, programs: ["no-such-program"] }
    return { ...replaceSandboxes(good, (one) => ({ ...plain(one), can })), can }
  }),
  inBackground(
    "says another number than the process has",
    ["background.start"],
    () => alterNumbers,
  ),
  inBackground("loses the quotes of words", ["background.list-arguments"], () => ({
    run: ({ command }) => ({ command: String(command).replaceAll("'", "") }),
  })),
  inBackground("starts every process in the same way", ["background.settings"], ({ home }) => ({
    run: () => ({ cwd: home, env: {}, stdin: new Uint8Array() }),
  })),
  flawed("shows all output from its start", ["background.output"], (good) =>
    alterSandboxes(good, () => ({
      "file.read": (read, control, sandbox) =>
        sandbox.perform<"file.read">({ ...read, offset: 0 }, control),
    })),
  ),
  inBackground("gives background processes little time", ["wait", "survives"].map(id), () => ({
    run: () => ({ timeoutMs: 400 }),
  })),
  flawed("kills only the first process in the background", ["background.kill-group"], (good) =>
    alterSandboxes(good, () => ({ "command.run": atAbort('kill -KILL "$1"', "leave") })),
  ),
  flawed("asks a process to end again and again", ["background.kill-once"], (good) =>
    alterSandboxes(good, () => ({
      "command.run": atAbort('for i in 1 2 3; do sleep 0.1; kill -TERM "$1"; done', "end"),
    })),
  ),
  inBackground("kills without asking", ["background.kill-gently"], () => ({
    control: () => ({ graceMs: () => 0 }),
  })),
  inBackground("has a grace of its own", ["background.kill-now"], () => ({
    control: () => ({ graceMs: () => 3_000 }),
  })),
  flawed("hides what it has written itself", ["log-file", "output"].map(id), (good) =>
    alterSandboxes(good, () => ({
      async "file.read"(read, control, sandbox) {
        if (read.path.includes("/.toolkeep/")) throw new WorkspaceError("not-found", read.path)
        return sandbox.perform<"file.read">(read, control)
      },
    })),
  ),
  flawed("has room for one process in the background", ["background.list"], (good) =>
    alterSandboxes(good, roomForOne),
  ),
  flawed("ends everything with a command that is ended", ["background.survives"], (good) =>
    alterSandboxes(good, endsTogether),
  ),
  flawed("lets background processes outlive their sandbox", ["background.destroy"], (good) =>
    replaceSandboxes(good, destroyedLate),
  ),
]

function id(name: string): string {
  return `background.${name}`
}

function flawed(
  flaw: string,
  caughtBy: readonly string[],
  breakHost: (good: Host) => Host,
): BrokenHost {
  return { flaw, caughtBy, base: "bubblewrap", breakHost }
}

interface Alteration {
  readonly run?: (run: CommandRun) => Partial<CommandRun>
  readonly control?: (control: OperationControl) => Partial<OperationControl>
}

/** A process in the background is a command that says its number and has no deadline. */
function isBackground({ command, timeoutMs }: CommandRun): boolean {
  return timeoutMs === null && typeof command === "string" && command.includes("$BASHPID")
}

function inBackground(
  flaw: string,
  caughtBy: readonly string[],
  alterationFor: (good: Sandbox) => Alteration,
): BrokenHost {
  return flawed(flaw, caughtBy, (host) =>
    alterSandboxes(host, (good) => {
      const { run: alterRun, control: alterControl } = alterationFor(good)
      return {
        "command.run": (run, control) =>
          isBackground(run)
            ? good.perform<"command.run">(
                { ...run, ...alterRun?.(run) },
                { ...control, ...alterControl?.(control) },
              )
            : good.perform<"command.run">(run, control),
      }
    }),
  )
}

const alterNumbers: Alteration = {
  control: ({ onOutput }) => ({
    onOutput: (chunk) =>
      onOutput({ ...chunk, bytes: asBytes(`${Number(asText(chunk.bytes)) + 1_000_000}\n`) }),
  }),
}

/** Does something of its own to the first process of a command that is to be ended. */
function atAbort(script: string, then: "end" | "leave"): NonNullable<Handlers["command.run"]> {
  return async (run, control, good) => {
    if (!isBackground(run)) return good.perform<"command.run">(run, control)
    let pid = ""
    const onOutput: OperationControl["onOutput"] = (chunk) => {
      pid += asText(chunk.bytes).trim()
      return control.onOutput(chunk)
    }
    control.signal.addEventListener("abort", () => {
      runScript(good, { signal: never, onOutput: () => {} }, [script, pid]).catch(() => {})
    })
    const signal = then === "end" ? control.signal : never
    const outcome = await good.perform<"command.run">(run, { ...control, onOutput, signal })
    control.signal.throwIfAborted()
    return outcome
  }
}

function roomForOne(): Handlers {
  let isTaken = false
  return {
    async "command.run"(run, control, good) {
      if (isBackground(run) && isTaken) {
        throw new ToolFailure({ kind: "unavailable", message: "There is one already." })
      }
      isTaken ||= isBackground(run)
      return good.perform<"command.run">(run, control)
    },
  }
}

function endsTogether(): Handlers {
  const ending = new AbortController()
  return {
    async "command.run"(run, control, good) {
      if (isBackground(run)) {
        const signal = AbortSignal.any([control.signal, ending.signal])
        return good.perform<"command.run">(run, { ...control, signal })
      }
      const outcome = await good.perform<"command.run">(run, control)
      if (outcome.ending.kind !== "exited") ending.abort(new Error("It went with another."))
      return outcome
    },
  }
}
