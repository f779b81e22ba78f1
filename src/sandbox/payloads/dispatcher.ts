import { isInside, limits, ToolFailure } from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import type { Sandbox } from "../host/host.ts"
import type { CommandRun, Operation, OperationControl } from "../host/operation.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { BackgroundProcesses, type ProcessesOptions } from "./background-processes.ts"
import type { CodeRun, Payload, PayloadResults } from "./payload.ts"

/** Takes every payload: what a workspace, a stream, a record or another machine says the same thing to. */
export interface Dispatcher {
  readonly sandbox: Sandbox
  dispatch<Kind extends Payload["kind"]>(
    payload: Extract<Payload, { kind: Kind }>,
    control?: Partial<OperationControl>,
  ): Promise<PayloadResults[Kind]>
}

const never = new AbortController().signal

/** Does with a sandbox's own operations what its host has no operation for. */
export function createDispatcher(
  sandbox: Sandbox,
  options: Partial<ProcessesOptions> = {},
): Dispatcher {
  const processes = new BackgroundProcesses(sandbox, { clock: systemClock, ...options })

  async function answer(payload: Payload, control: OperationControl): Promise<unknown> {
    switch (payload.kind) {
      case "code.run":
        return sandbox.perform<"command.run">(codeCommand(payload, sandbox), control)
      case "file.exists":
        return exists(payload.path, control)
      case "command.run":
        requireCommand(payload.command)
        return sandbox.perform<"command.run">(payload, control)
      case "process.start":
        requireCommand(payload.command)
        return requireBackground(sandbox) && processes.start(payload, control)
      case "process.list":
        return processes.list()
      case "process.status":
        return processes.status(payload.id)
      case "process.wait":
        return processes.wait(payload.id, payload.timeoutMs, control.signal)
      case "process.output":
        return processes.output(payload, control)
      case "process.kill":
        return processes.kill(payload.id, payload.graceMs)
      case "file.remove":
      case "file.rename":
        refuseRoots(payload.path, sandbox)
        return sandbox.perform(payload as never, control)
      case "port.connect":
        requirePort(payload.port)
        return sandbox.perform<"port.connect">(payload, control)
      default:
        return sandbox.perform(payload satisfies Operation as never, control)
    }
  }

  async function exists(path: string, control: OperationControl): Promise<boolean> {
    try {
      await sandbox.perform<"file.stat">({ kind: "file.stat", path }, control)
      return true
    } catch (error) {
      const absent: readonly unknown[] = ["not-found", "not-directory"]
      if (error instanceof WorkspaceError && absent.includes(error.code)) return false
      throw error
    }
  }

  return {
    sandbox,
    async dispatch<Kind extends Payload["kind"]>(
      payload: Extract<Payload, { kind: Kind }>,
      control: Partial<OperationControl> = {},
    ) {
      const { signal = never, onOutput = () => {}, ...rest } = control
      signal.throwIfAborted()
      return (await answer(payload, { ...rest, signal, onOutput })) as PayloadResults[Kind]
    },
  }
}

/** A home, or what it is in, can't go, but everything in it would before that is noticed. */
function refuseRoots(path: string, { roots }: Sandbox): void {
  if (roots.includes(path)) throw new WorkspaceError("denied", path)
  if (roots.some((root) => isInside(path, root))) throw new WorkspaceError("outside", path)
}

/** An argument list without a program; text may be empty, as in every shell. */
function requireCommand(command: string | readonly string[]): void {
  if (typeof command === "string" || command[0]) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: "The command is empty: its list names no program.",
    field: "command",
    expected: 'a program and its arguments, such as ["ls", "-a"]',
  })
}

function requirePort(port: number): void {
  if (Number.isInteger(port) && port > 0 && port < 65_536) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${port} is no port.`,
    field: "port",
    expected: "a whole number from 1 to 65535, such as 8080",
  })
}

function requireBackground({ can }: Sandbox): true {
  if (can.background) return true
  throw new ToolFailure({
    kind: "unavailable",
    message: `The ${can.host} host has no processes that could go on in the background.`,
    retryable: false,
  })
}

function codeCommand({ kind: _, language, code, ...rest }: CodeRun, { can }: Sandbox): CommandRun {
  const call = can.languages[language]
  if (call === undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `This sandbox can't run ${language}.`,
      field: "language",
      expected: Object.keys(can.languages).join(", "),
    })
  }
  if (Buffer.byteLength(code) > limits.command.codeBytes) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The code is longer than ${limits.command.codeBytes} bytes; write it to a file and run that.`,
      field: "code",
    })
  }
  return { ...rest, kind: "command.run", command: [...call, code] }
}
