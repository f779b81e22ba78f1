import {
  type ExecOptions,
  type ExecResult,
  limits,
  omissionNote,
  resolvePath,
  ToolFailure,
  trimEndToCharacter,
  trimStartToCharacter,
  type Workspace,
} from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import type { Sandbox } from "../host/host.ts"
import type {
  CapturedStream,
  CommandRun,
  Operation,
  OperationControl,
  OperationResults,
} from "../host/operation.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { BackgroundProcesses, type ProcessesOptions } from "./background-processes.ts"
import {
  codeCommand,
  refuseRoots,
  requireBackground,
  requireLiveInput,
  requirePort,
  requireProgram,
} from "./requests.ts"

/** A sandbox without its life cycle: what a workspace needs, and what trees are transferred with. */
export type OpenSandbox = Pick<Sandbox, "name" | "can" | "home" | "roots" | "pipes" | "perform">

export interface WorkspaceOptions extends Partial<ProcessesOptions> {
  /** Where relative paths start; the sandbox's home when absent. */
  readonly cwd?: string | undefined
  /** Does the work while the sandbox counts as used. What runs in the background does not. */
  readonly use?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined
}

type Control = Pick<ExecOptions, "signal" | "onOutput"> &
  Pick<OperationControl, "input" | "graceMs">

const never = new AbortController().signal
const ignore = () => {}
const encoder = new TextEncoder()
// A byte order mark is part of the text: what was read must be what is written back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The face of a sandbox that tools get: relative paths resolved, options made into operations. */
export function createWorkspace(sandbox: OpenSandbox, options: WorkspaceOptions = {}): Workspace {
  const { can, roots } = sandbox
  const { cwd = sandbox.home, use = (work) => work() } = options
  const background = new BackgroundProcesses(sandbox, { clock: systemClock, ...options })

  const absolute = (path: string) => {
    if (path.includes("\0")) {
      throw new ToolFailure({ kind: "invalid_args", message: "The path contains a NUL character." })
    }
    return resolvePath(cwd, path)
  }

  function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    { signal = never, onOutput = ignore, input, graceMs }: Control = {},
  ): Promise<OperationResults[Kind]> {
    signal.throwIfAborted()
    return use(() => sandbox.perform<Kind>(operation, { signal, onOutput, input, graceMs }))
  }

  async function run(command: CommandRun["command"], settings: ExecOptions): Promise<ExecResult> {
    const started = performance.now()
    const { signal, onOutput, stdin = "", rejectOnAbort = true, graceMs } = settings
    const stream = stdin instanceof ReadableStream ? stdin : undefined
    if (stream) requireLiveInput(can)
    const outcome = await perform<"command.run">(
      {
        kind: "command.run",
        command,
        cwd: settings.cwd === undefined ? cwd : absolute(settings.cwd),
        env: settings.env ?? {},
        stdin: stdin instanceof ReadableStream ? new Uint8Array() : bytesOf(stdin),
        timeoutMs: settings.timeoutMs ?? null,
        idleTimeoutMs: settings.idleTimeoutMs ?? null,
        maxOutputBytes: settings.maxOutputBytes ?? limits.outputBytes,
      },
      {
        ...{ signal, onOutput, input: stream },
        graceMs: graceMs === undefined ? undefined : () => graceMs,
      },
    )
    if (outcome.ending.kind === "aborted" && rejectOnAbort) throw signal?.reason
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
    roots,
    can,

    async exec(command, settings = {}) {
      if (typeof command !== "string") requireProgram(command)
      return run(command, settings)
    },

    async runCode(language, code, settings = {}) {
      return run(codeCommand(language, code, can), settings)
    },

    async readFileBuffer(path, { offset = 0, length = null, ...control } = {}) {
      return perform<"file.read">(
        { kind: "file.read", path: absolute(path), offset, length },
        control,
      )
    },

    async readFile(path, settings) {
      return decoder.decode(await workspace.readFileBuffer(path, settings))
    },

    async writeFile(path, content, { append = false, mode = null, ...control } = {}) {
      const data = bytesOf(content)
      await perform<"file.write">(
        { kind: "file.write", path: absolute(path), data, append, mode },
        control,
      )
    },

    async stat(path, control) {
      return perform<"file.stat">({ kind: "file.stat", path: absolute(path) }, control)
    },

    async readdir(path, { limit = Number.POSITIVE_INFINITY, ...control } = {}) {
      return perform<"file.list">({ kind: "file.list", path: absolute(path), limit }, control)
    },

    async exists(path, control) {
      try {
        await workspace.stat(path, control)
        return true
      } catch (error) {
        const absent: readonly unknown[] = ["not-found", "not-directory"]
        if (error instanceof WorkspaceError && absent.includes(error.code)) return false
        throw error
      }
    },

    async mkdir(path, { mode = null, ...control } = {}) {
      await perform<"file.mkdir">({ kind: "file.mkdir", path: absolute(path), mode }, control)
    },

    async remove(path, { recursive = false, ...control } = {}) {
      const checked = refuseRoots(absolute(path), roots)
      await perform<"file.remove">({ kind: "file.remove", path: checked, recursive }, control)
    },

    async rename(path, to, control) {
      const checked = refuseRoots(absolute(path), roots)
      await perform<"file.rename">(
        { kind: "file.rename", path: checked, to: absolute(to) },
        control,
      )
    },

    async copy(path, to, control) {
      const [from, target] = [absolute(path), absolute(to)]
      await perform<"file.copy">({ kind: "file.copy", path: from, to: target }, control)
    },

    async exportTree(path, control) {
      return perform<"tree.export">({ kind: "tree.export", path: absolute(path) }, control)
    },

    async importTree(path, input, { as = "directory", signal } = {}) {
      try {
        await perform<"tree.import">(
          { kind: "tree.import", path: absolute(path), as },
          { signal, input },
        )
      } catch (error) {
        // Its writer learns that nobody reads any more.
        input.cancel(error).catch(ignore)
        throw error
      }
    },

    async openTerminal({ cwd: directory = ".", ...settings }) {
      if (settings.command && typeof settings.command !== "string") requireProgram(settings.command)
      // Loaded on first use: few sandboxes are typed into.
      const { openTerminal } = await import("./open-terminal.ts")
      return openTerminal(
        { ...settings, cwd: absolute(directory) },
        { can, perform: (operation, control) => use(() => sandbox.perform(operation, control)) },
      )
    },

    async connect(port, control) {
      requirePort(port)
      return perform<"port.connect">({ kind: "port.connect", port }, control)
    },

    processes: {
      async start(command, settings = {}) {
        const { cwd: directory = ".", env = {}, stdin = "", openInput, signal = never } = settings
        if (typeof command !== "string") requireProgram(command)
        requireBackground(can)
        const start = { command, cwd: absolute(directory), env, stdin: bytesOf(stdin) }
        if (!openInput) return use(() => background.start(start, { signal }))
        requireLiveInput(can)
        // Loaded on first use: few processes are written to.
        const { openInput: open } = await import("./live-input.ts")
        const input = open()
        if (start.stdin.length > 0) void input.write(start.stdin)
        return use(() => background.start(start, { signal, input }))
      },
      list: () => use(async () => background.list()),
      status: (id) => use(async () => background.status(id)),
      wait: (id, { timeoutMs = null, signal = never } = {}) =>
        use(async () => background.wait(id, timeoutMs, signal)),
      output: (id, { offset = 0, length, signal = never } = {}) =>
        use(async () => background.output(id, { offset, length, signal })),
      write: (id, input, { end = false, signal = never } = {}) =>
        use(async () => background.write(id, bytesOf(input), { end, signal })),
      kill: (id, { graceMs = limits.terminateGraceMs } = {}) =>
        use(async () => background.kill(id, graceMs)),
    },
  }
  return workspace
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data
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
    omitted: { stdout: stdout.omitted, stderr: stderr.omitted },
  }
}

interface DecodedStream {
  readonly text: string
  readonly bytes: Uint8Array
  /** Of all that was written, the bytes that are not in `bytes`. */
  readonly omitted: number
}

/** A captured stream as text: where bytes were dropped, a line says how many, with those of a character that was split. */
export function decodeStream(stream: CapturedStream): DecodedStream {
  if (stream.omitted === 0) {
    const bytes = joined(stream.head, stream.tail)
    return { text: decoder.decode(bytes), bytes, omitted: 0 }
  }
  const head = trimEndToCharacter(stream.head)
  const tail = trimStartToCharacter(stream.tail)
  const split = stream.head.length - head.length + stream.tail.length - tail.length
  const omitted = stream.omitted + split
  const text = `${decoder.decode(head)}${omissionNote(omitted)}${decoder.decode(tail)}`
  return { text, bytes: joined(head, tail), omitted }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}
