import {
  type ExecOptions,
  type ExecResult,
  limits,
  resolvePath,
  type SignalOption,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import type { Sandbox } from "../host/host.ts"
import type { CommandRun, OperationControl, OperationResults } from "../host/operation.ts"
import { createDispatcher, type Dispatcher } from "../payloads/dispatcher.ts"
import type { CodeRun } from "../payloads/payload.ts"
import { decodeStream } from "./decode-stream.ts"

const never = new AbortController().signal
const encoder = new TextEncoder()
// A byte order mark is part of the text: what was read must be what is written back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The face of a sandbox that tools get: relative paths resolved, options made into payloads. */
export function createWorkspace(sandbox: Sandbox, cwd?: string): Workspace {
  return workspaceOn(createDispatcher(sandbox), cwd)
}

export function workspaceOn(
  { sandbox, dispatch }: Dispatcher,
  cwd: string = sandbox.home,
): Workspace {
  const absolute = (path: string) => {
    if (path.includes("\0")) {
      throw new ToolFailure({ kind: "invalid_args", message: "The path contains a NUL character." })
    }
    return resolvePath(cwd, path)
  }

  async function run(payload: CommandRun | CodeRun, options: ExecOptions): Promise<ExecResult> {
    const started = performance.now()
    const { signal = never, onOutput = () => {} } = options
    const outcome = await dispatch<"command.run" | "code.run">(payload, { signal, onOutput })
    if (options.rejectOnAbort !== false && outcome.ending.kind === "aborted") throw signal.reason
    return {
      exitCode: outcome.exitCode,
      ...decodeBoth(outcome),
      durationMs: performance.now() - started,
      ending: outcome.ending,
    }
  }

  const workspace: Workspace = {
    name: sandbox.name,
    cwd,
    roots: sandbox.roots,
    can: sandbox.can,

    async exec(command, options = {}) {
      const settings = runSettings(options, absolute(options.cwd ?? "."))
      return run({ ...settings, kind: "command.run", command }, options)
    },

    async runCode(language, code, options = {}) {
      const settings = runSettings(options, absolute(options.cwd ?? "."))
      return run({ ...settings, kind: "code.run", language, code }, options)
    },

    async readFileBuffer(path, options = {}) {
      const { offset = 0, length = null } = options
      const payload = { kind: "file.read", path: absolute(path), offset, length } as const
      return dispatch<"file.read">(payload, control(options))
    },

    async readFile(path, options = {}) {
      return decoder.decode(await workspace.readFileBuffer(path, options))
    },

    async writeFile(path, content, options = {}) {
      const data = typeof content === "string" ? encoder.encode(content) : content
      const { append = false, mode = null } = options
      const payload = { kind: "file.write", path: absolute(path), data, append, mode } as const
      await dispatch<"file.write">(payload, control(options))
    },

    async stat(path, options) {
      return dispatch<"file.stat">({ kind: "file.stat", path: absolute(path) }, control(options))
    },

    async readdir(path, options = {}) {
      const limit = options.limit ?? Number.POSITIVE_INFINITY
      const payload = { kind: "file.list", path: absolute(path), limit } as const
      return dispatch<"file.list">(payload, control(options))
    },

    async exists(path, options) {
      const payload = { kind: "file.exists", path: absolute(path) } as const
      return dispatch<"file.exists">(payload, control(options))
    },

    async mkdir(path, options = {}) {
      const payload = { kind: "file.mkdir", path: absolute(path), mode: options.mode ?? null }
      await dispatch<"file.mkdir">({ ...payload, kind: "file.mkdir" }, control(options))
    },

    async remove(path, options = {}) {
      const { recursive = false } = options
      const payload = { kind: "file.remove", path: absolute(path), recursive } as const
      await dispatch<"file.remove">(payload, control(options))
    },

    async rename(path, to, options) {
      const payload = { kind: "file.rename", path: absolute(path), to: absolute(to) } as const
      await dispatch<"file.rename">(payload, control(options))
    },

    async copy(path, to, options) {
      const payload = { kind: "file.copy", path: absolute(path), to: absolute(to) } as const
      await dispatch<"file.copy">(payload, control(options))
    },

    async exportTree(path, options) {
      const payload = { kind: "tree.export", path: absolute(path) } as const
      return dispatch<"tree.export">(payload, control(options))
    },

    async importTree(path, input, options = {}) {
      const payload = { kind: "tree.import", path: absolute(path), as: options.as ?? "directory" }
      try {
        await dispatch<"tree.import">(
          { ...payload, kind: "tree.import" },
          { ...control(options), input },
        )
      } catch (error) {
        // Whoever writes it learns that nobody reads any more.
        input.cancel(error).catch(() => {})
        throw error
      }
    },

    async connect(port, options) {
      return dispatch<"port.connect">({ kind: "port.connect", port }, control(options))
    },

    processes: {
      async start(command, options = {}) {
        const { cwd: directory, env, stdin } = runSettings(options, absolute(options.cwd ?? "."))
        const payload = { kind: "process.start", command, cwd: directory, env, stdin } as const
        return dispatch<"process.start">(payload, control(options))
      },
      list: () => dispatch<"process.list">({ kind: "process.list" }),
      status: (id) => dispatch<"process.status">({ kind: "process.status", id }),
      wait: (id, options = {}) =>
        dispatch<"process.wait">(
          { kind: "process.wait", id, timeoutMs: options.timeoutMs ?? null },
          control(options),
        ),
      output: (id, options = {}) => {
        const { offset = 0, length = null } = options
        const payload = { kind: "process.output", id, offset, length } as const
        return dispatch<"process.output">(payload, control(options))
      },
      kill: (id, options = {}) =>
        dispatch<"process.kill">(
          { kind: "process.kill", id, graceMs: options.graceMs ?? limits.terminateGraceMs },
          control(options),
        ),
    },
  }
  return workspace
}

function control({ signal = never }: SignalOption = {}): Pick<OperationControl, "signal"> {
  return { signal }
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
    mkdir: (other, options) => parent.mkdir(inside(other), options),
    remove: (other, options) => parent.remove(inside(other), options),
    rename: (other, to, options) => parent.rename(inside(other), inside(to), options),
    copy: (other, to, options) => parent.copy(inside(other), inside(to), options),
    exportTree: (other, options) => parent.exportTree(inside(other), options),
    importTree: (other, archive, options) => parent.importTree(inside(other), archive, options),
    runCode: (language, code, options = {}) =>
      parent.runCode(language, code, { ...options, cwd: inside(options.cwd ?? ".") }),
    connect: (port, options) => parent.connect(port, options),
    processes: {
      ...parent.processes,
      start: (command, options = {}) =>
        parent.processes.start(command, { ...options, cwd: inside(options.cwd ?? ".") }),
    },
  }
}

function runSettings(options: ExecOptions, cwd: string): Omit<CommandRun, "kind" | "command"> {
  const { stdin = "" } = options
  return {
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
