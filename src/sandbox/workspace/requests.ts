import {
  type Capabilities,
  type CodeLanguage,
  isInside,
  ToolFailure,
} from "../../contract/index.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { sandboxLimits } from "../limits.ts"

/** What a workspace refuses on every host alike, before its sandbox is asked. */

/** A home, or what it is in, can't go, but everything in it would before that is noticed. */
export function refuseRoots(path: string, roots: readonly string[]): string {
  if (roots.includes(path)) throw new WorkspaceError("denied", path)
  if (roots.some((root) => isInside(path, root))) throw new WorkspaceError("outside", path)
  return path
}

/** For an argument list: text may be empty, as in every shell. */
export function requireProgram(command: readonly string[]): void {
  if (command[0]) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: "The command is empty: its list names no program.",
    field: "command",
    expected: 'a program and its arguments, such as ["ls", "-a"]',
  })
}

export function requirePort(port: number): void {
  if (Number.isInteger(port) && port > 0 && port < 65_536) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${port} is not a valid port.`,
    field: "port",
    expected: "a whole number from 1 to 65535, such as 8080",
  })
}

export function requireBackground({ host, background }: Capabilities): void {
  if (background) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `The ${host} host has no processes that could go on in the background.`,
    retryable: false,
  })
}

/** For input that comes while a command runs. */
export function requireLiveInput({ host, liveInput }: Capabilities): void {
  if (liveInput) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `The ${host} host can't pass input on to a command while it runs.`,
    retryable: false,
  })
}

export function requireTerminal({ host, terminal }: Capabilities): void {
  if (terminal) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `This sandbox of the ${host} host has no terminals: they need a host with real programs, and script (of util-linux) or python3 in its image.`,
    retryable: false,
  })
}

/** The program and its arguments that run code of this language. */
export function codeCommand(
  language: CodeLanguage,
  code: string,
  { languages }: Capabilities,
): readonly string[] {
  const call = languages[language]
  if (call === undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `This sandbox can't run ${language}.`,
      field: "language",
      expected: Object.keys(languages).join(", "),
    })
  }
  if (Buffer.byteLength(code) > sandboxLimits.codeBytes) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The code is longer than ${sandboxLimits.codeBytes} bytes; write it to a file and run that.`,
      field: "code",
    })
  }
  return [...call, code]
}
