import type {
  Capabilities,
  Connection,
  DirectoryEntry,
  FileStat,
  OutputChunk,
} from "../../contract/index.ts"
import { createDeadline, quoteArguments, systemClock, withAbort } from "../../kit/index.ts"
import { CapturedOutput } from "../commands/watch-command.ts"
import { chooseLimits } from "../host/choose-limits.ts"
import type { Host, HostStatus, Sandbox } from "../host/host.ts"
import type {
  CommandOutcome,
  CommandRun,
  OperationControl,
  OperationHandlers,
} from "../host/operation.ts"
import { noSnapshots, requireImage, requireNetwork, unsupported } from "../host/unsupported.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { copyFile, makeDirectory, removeFile, renameFile, untilEnded } from "./change-files.ts"
import { listDirectory, readFile, statFile, toBytes, writeFile } from "./exec-files.ts"

/**
 * What a foreign sandbox can do. It must run commands, by any POSIX shell; files are read and written by commands
 * where it has no functions for that. Paths are absolute.
 */
export interface SandboxApi {
  exec(command: string, options: SandboxApiExec): Promise<SandboxApiResult>
  /** `exec` settles when an aborted command has really ended: that is waited for, a while. */
  readonly endsOnAbort?: boolean
  /** `exec` gives a command its `stdin`, however long it is: files are then written by one command. */
  readonly takesInput?: boolean
  readFile?(path: string): Promise<string | Uint8Array>
  writeFile?(path: string, data: Uint8Array, options: { append: boolean }): Promise<void>
  /** Null for a path that does not exist. */
  stat?(path: string): Promise<FileStat | null>
  readdir?(path: string): Promise<readonly DirectoryEntry[]>
  /** For services that can reach a server inside; say so with the capability `ports`. */
  connect?(port: number, signal: AbortSignal): Promise<Connection>
  /** For services that can rest; say so with the capability `sleep`. */
  sleep?(): Promise<void>
  destroy?(): Promise<void>
}

export interface SandboxApiExec {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Uint8Array
  /** Hand it to the provider's own timeout where there is one: it is the primary promise. */
  readonly timeoutMs: number | null
  /** The second channel, for providers that can cancel. */
  readonly signal: AbortSignal
  readonly onOutput: (chunk: OutputChunk) => void
}

export interface SandboxApiResult {
  readonly exitCode: number
  /** Both are absent where `onOutput` was given all of it. */
  readonly stdout?: string | Uint8Array | undefined
  readonly stderr?: string | Uint8Array | undefined
}

export interface AdaptedHost {
  readonly name: string
  readonly summary: string
  /** What it can beyond running commands and holding files; whatever is left out, it can't. */
  readonly can: Pick<Capabilities, "isolation"> & Partial<Capabilities>
  /** Where relative paths start. */
  readonly home: string
  readonly roots?: readonly string[]
  readonly probe?: () => Promise<HostStatus>
  /** The images that sandboxes can have; the first is the default. One with the host's name when absent. */
  readonly images?: readonly [string, ...string[]]
  readonly create: (name: string, image: string) => Promise<SandboxApi>
}

/** A foreign sandbox has its own limits; a request can't set any of them. */
const noLimits = { memoryBytes: null, diskBytes: null, processes: null, processors: null }

/** A host that runs commands and holds files, and can nothing else. */
const leastCapabilities = {
  liveOutput: false,
  argumentLists: false,
  fileModes: false,
  networks: ["none"],
  background: false,
  ports: false,
  languages: {},
  sleep: false,
  snapshots: false,
  durable: false,
  ripgrep: null,
  limits: noLimits,
} as const

/** Makes a host of any sandbox service, so that every tool and the conformance suite run on it. */
export function adaptHost(adapted: AdaptedHost): Host {
  const { name, summary, home, roots = [home], images = [name] } = adapted
  const can: Capabilities = {
    ...leastCapabilities,
    host: name,
    images,
    ...adapted.can,
  }
  return {
    name,
    summary,
    can,
    probe: adapted.probe ?? (async () => ({ kind: "ready" })),
    images: async () => images,
    removeSnapshot: noSnapshots(name),
    create: async (spec) => {
      requireImage(spec.image, images, can)
      chooseLimits({ host: name }, noLimits, spec.limits)
      await requireNetwork(can, spec.network)
      const { image = images[0] } = spec
      const api = await adapted.create(spec.name, image)
      return adaptSandbox(api, { name: spec.name, image, can, home, roots })
    },
  }
}

function adaptSandbox(
  api: SandboxApi,
  about: Pick<Sandbox, "name" | "image" | "can" | "home" | "roots">,
): Sandbox {
  const stat = async (path: string, control: OperationControl) => {
    const found = await statFile(api, path, control)
    if (!found) throw new WorkspaceError("not-found", path)
    return found
  }
  const performers: OperationHandlers = {
    "command.run": (operation, control) => {
      // Where output does not come while a command runs, silence means nothing.
      const { idleTimeoutMs } = operation
      const heard = about.can.liveOutput ? idleTimeoutMs : null
      return runCommand(api, { ...operation, idleTimeoutMs: heard }, control)
    },
    "file.read": async (operation, control) => {
      const { path } = operation
      const { type } = await stat(path, control)
      if (type === "directory") throw new WorkspaceError("is-directory", path)
      return readFile(api, operation, control)
    },
    "file.write": async (operation, control) => {
      const { path } = operation
      const found = await statFile(api, path, control)
      if (found?.type === "directory") throw new WorkspaceError("is-directory", path)
      await writeFile(api, operation, control)
      return null
    },
    "file.stat": ({ path }, control) => stat(path, control),
    "file.list": async ({ path, limit }, control) => {
      const { type } = await stat(path, control)
      if (type !== "directory") throw new WorkspaceError("not-directory", path)
      const entries = [...(await listDirectory(api, path, control))]
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit)
    },
    "file.mkdir": (operation, control) => makeDirectory(api, operation, control),
    "file.remove": (operation, control) => removeFile(api, operation, control),
    "file.rename": (operation, control) => renameFile(api, operation, control),
    "file.copy": (operation, control) => copyFile(api, operation, control),
    "tree.export": async (operation, control) =>
      (await trees()).exportTree(api, operation, control),
    "tree.import": async (operation, control) =>
      (await trees()).importTree(api, operation, control),
    "port.connect": async ({ port }, { signal }) => {
      if (!api.connect) throw unsupported(about.can.host, "reach the ports of a sandbox")
      return api.connect(port, signal)
    },
  }
  return {
    ...about,
    sleep: async () => {
      if (!api.sleep) throw unsupported(about.can.host, "sleep")
      await api.sleep()
    },
    setNetwork: async (network) => requireNetwork(about.can, network),
    snapshot: noSnapshots(about.can.host),
    perform: async (operation, control) =>
      (await performers[operation.kind](operation as never, control)) as never,
    destroy: async () => api.destroy?.(),
  }
}

/** Loaded on first use: few adapted hosts are asked for trees. */
const trees = () => import("./stream-trees.ts")

/** The deadline goes to the provider, and is enforced here as well for providers that forget it. */
async function runCommand(
  api: SandboxApi,
  operation: CommandRun,
  control: OperationControl,
): Promise<CommandOutcome> {
  control.signal.throwIfAborted()
  const { command, cwd, env, stdin, timeoutMs, idleTimeoutMs, maxOutputBytes } = operation
  const seen = new CapturedOutput(maxOutputBytes)
  using silence = createSilence(idleTimeoutMs)
  const onOutput = (chunk: OutputChunk) => {
    seen.push(chunk)
    silence.broken()
    return control.onOutput(chunk)
  }
  const either = AbortSignal.any([control.signal, silence.signal])
  using deadline = createDeadline(timeoutMs, { signal: either })
  const { signal } = deadline
  const script = typeof command === "string" ? command : quoteArguments(command)
  const running = api.exec(script, { cwd, env, stdin, timeoutMs, signal, onOutput })
  const result = await withAbort(running, signal).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
  if (result === null) await untilEnded(api, running)
  const isWhole = result?.stdout !== undefined || result?.stderr !== undefined
  const partial = (isWhole ? wholeOutput(result, maxOutputBytes) : seen).captured()
  // Some answer an abort as if the command had ended by itself.
  if (result !== null && !signal.aborted) {
    return { exitCode: result.exitCode, ...partial, ending: { kind: "exited" } }
  }
  if (silence.signal.aborted && !control.signal.aborted) {
    return { exitCode: 124, ...partial, ending: { kind: "idle", afterMs: idleTimeoutMs ?? 0 } }
  }
  if (!deadline.isOver()) return { exitCode: 143, ...partial, ending: { kind: "aborted" } }
  return { exitCode: 124, ...partial, ending: { kind: "timed-out", afterMs: timeoutMs ?? 0 } }
}

/** A signal that aborts when nothing was heard for so long; never when that is null. */
function createSilence(milliseconds: number | null) {
  const controller = new AbortController()
  const wait = () =>
    milliseconds === null
      ? () => {}
      : systemClock.after(milliseconds, () => controller.abort(new Error("It is silent.")))
  let cancel = wait()
  return {
    signal: controller.signal,
    broken() {
      cancel()
      cancel = wait()
    },
    [Symbol.dispose]: () => cancel(),
  }
}

/** Both streams as the sandbox gave them at the end. */
function wholeOutput(
  { stdout = "", stderr = "" }: SandboxApiResult,
  maxBytes: number,
): CapturedOutput {
  const whole = new CapturedOutput(maxBytes)
  whole.push({ stream: "stdout", bytes: toBytes(stdout) })
  whole.push({ stream: "stderr", bytes: toBytes(stderr) })
  return whole
}
