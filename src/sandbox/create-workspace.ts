import {
  type ExecOptions,
  type ExecResult,
  limits,
  resolvePath,
  type SignalOption,
  ToolFailure,
  type Workspace,
} from "../contract/index.ts"
import { decodeStream } from "./decode-stream.ts"
import type { Sandbox } from "./host.ts"
import type { CommandRun, Operation, OperationControl, OperationResults } from "./operation.ts"
import { WorkspaceError } from "./workspace-error.ts"

const never = new AbortController().signal
const encoder = new TextEncoder()
// A byte order mark is part of the text: what was read must be what is written back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The face of a sandbox that tools get: relative paths resolved, options made into operations. */
export function createWorkspace(sandbox: Sandbox, cwd: string = sandbox.home): Workspace {
  const absolute = (path: string) => {
    if (path.includes("\0")) {
      throw new ToolFailure({ kind: "invalid_args", message: "The path contains a NUL character." })
    }
    return resolvePath(cwd, path)
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    options: SignalOption & { onOutput?: OperationControl["onOutput"] | undefined },
  ): Promise<OperationResults[Kind]> {
    const signal = options.signal ?? never
    signal.throwIfAborted()
    return sandbox.perform<Kind>(operation, { signal, onOutput: options.onOutput ?? (() => {}) })
  }

  const workspace: Workspace = {
    name: sandbox.name,
    cwd,
    roots: sandbox.roots,
    can: sandbox.can,

    async exec(command, options = {}) {
      const started = performance.now()
      const operation = commandRun(command, options, absolute(options.cwd ?? "."))
      const outcome = await perform<"command.run">(operation, options)
      return {
        exitCode: outcome.exitCode,
        ...decodeBoth(outcome),
        durationMs: performance.now() - started,
        ending: outcome.ending,
      }
    },

    async readFileBuffer(path, options = {}) {
      const { offset = 0, length = null } = options
      return perform<"file.read">(
        { kind: "file.read", path: absolute(path), offset, length },
        options,
      )
    },

    async readFile(path, options = {}) {
      return decoder.decode(await workspace.readFileBuffer(path, options))
    },

    async writeFile(path, content, options = {}) {
      const data = typeof content === "string" ? encoder.encode(content) : content
      const { append = false, mode = null } = options
      await perform<"file.write">(
        { kind: "file.write", path: absolute(path), data, append, mode },
        options,
      )
    },

    async stat(path, options = {}) {
      return perform<"file.stat">({ kind: "file.stat", path: absolute(path) }, options)
    },

    async readdir(path, options = {}) {
      const limit = options.limit ?? Number.POSITIVE_INFINITY
      return perform<"file.list">({ kind: "file.list", path: absolute(path), limit }, options)
    },

    async exists(path, options = {}) {
      try {
        await workspace.stat(path, options)
        return true
      } catch (error) {
        const absent: readonly unknown[] = ["not-found", "not-directory"]
        if (error instanceof WorkspaceError && absent.includes(error.code)) return false
        throw error
      }
    },
  }
  return workspace
}

/** The same sandbox seen from another directory, as a child task sees it. */
export function workspaceAt(parent: Workspace, path: string): Workspace {
  const cwd = resolvePath(parent.cwd, path)
  const inside = (other: string) => resolvePath(cwd, other)
  return {
    name: parent.name,
    cwd,
    roots: parent.roots,
    can: parent.can,
    exec: (command, options = {}) =>
      parent.exec(command, { ...options, cwd: inside(options.cwd ?? ".") }),
    readFile: (other, options) => parent.readFile(inside(other), options),
    readFileBuffer: (other, options) => parent.readFileBuffer(inside(other), options),
    writeFile: (other, content, options) => parent.writeFile(inside(other), content, options),
    stat: (other, options) => parent.stat(inside(other), options),
    readdir: (other, options) => parent.readdir(inside(other), options),
    exists: (other, options) => parent.exists(inside(other), options),
  }
}

function commandRun(
  command: string | readonly string[],
  options: ExecOptions,
  cwd: string,
): CommandRun {
  const { stdin = "" } = options
  return {
    kind: "command.run",
    command,
    cwd,
    env: options.env ?? {},
    stdin: typeof stdin === "string" ? encoder.encode(stdin) : stdin,
    timeoutMs: options.timeoutMs ?? null,
    idleTimeoutMs: options.idleTimeoutMs ?? null,
    maxOutputBytes: options.maxOutputBytes ?? limits.outputBytes,
  }
}

function decodeBoth(
  outcome: OperationResults["command.run"],
): Pick<ExecResult, "stdout" | "stderr" | "stdoutBytes" | "stderrBytes" | "omitted"> {
  const stdout = decodeStream(outcome.stdout)
  const stderr = decodeStream(outcome.stderr)
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    omitted: { stdout: outcome.stdout.omitted, stderr: outcome.stderr.omitted },
  }
}
