import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import type { Capabilities, Connection, ToolFailure } from "../../../contract/index.ts"
import { type Clock, createId } from "../../../kit/index.ts"
import type { Sandbox, SandboxWatch } from "../../host/host.ts"
import type {
  Operation,
  OperationControl,
  OperationHandlers,
  OperationResults,
  TreeImport,
} from "../../host/operation.ts"
import {
  noSnapshots,
  requireNetwork,
  sandboxAsleep,
  sandboxClosed,
} from "../../host/unsupported.ts"
import { endProcesses } from "./commands/end-processes.ts"
import { createFifoStore } from "./commands/fifo-store.ts"
import {
  type Environment,
  linuxProcessTable,
  type ProcessTable,
  signalTable,
} from "./commands/process-table.ts"
import { runCommand } from "./commands/run-command.ts"
import type { CommandScope } from "./commands/start-leader.ts"
import { connectPort } from "./connect-port.ts"
import { fileError } from "./file-error.ts"
import { copyFile, makeDirectory, removeFile, renameFile } from "./files/change-files.ts"
import type { FileScope } from "./files/hold.ts"
import { listDirectory, readFile, statFile } from "./files/read-files.ts"
import { writeFile } from "./files/write-file.ts"
import { exportTree } from "./trees/export-tree.ts"
import { importTree } from "./trees/import-tree.ts"

export interface LocalSandboxOptions {
  readonly name: string
  /** An existing directory's real path. */
  readonly directory: string
  readonly can: Capabilities
  readonly bash: string
  readonly clock: Clock
  readonly environment: Environment
  readonly processes?: ProcessTable
}

const notConfined = {
  unknown: "commands run as processes of this machine, which nobody tells from others",
}

/** One time between two sleeps. */
interface Waking {
  readonly scope: CommandScope
  readonly connections: Set<Connection>
  /** Ends what runs, with what it is to answer. */
  readonly closing: AbortController
  /** Ends all processes, and then lets what was ended answer. */
  close(): Promise<void>
}

export function createLocalSandbox(options: LocalSandboxOptions): Sandbox {
  const { name, directory, can } = options
  const id = createId("sandbox")
  const files = inside(directory)
  let waking: Waking | null = null
  /** What has to be over before it can be woken again. */
  let resting: Promise<void> = Promise.resolve()
  let destroyed: Promise<void> | null = null
  let watching: Promise<SandboxWatch> | null = null

  async function awake(): Promise<Waking> {
    await resting.catch(() => {})
    if (destroyed) throw sandboxClosed()
    waking ??= wake(id, options)
    return waking
  }

  const handlers: OperationHandlers = {
    "command.run": async (operation, control) => {
      const { scope } = await awake()
      return runCommand(operation, control, scope)
    },
    "file.read": files(readFile),
    "file.write": files(writeFile),
    "file.stat": files(statFile),
    "file.list": files(listDirectory),
    "file.mkdir": files(makeDirectory),
    "file.remove": files(removeFile),
    "file.rename": files(renameFile),
    "file.copy": files(copyFile),
    "tree.export": files(exportTree),
    "tree.import": (operation, control) => {
      const archive = control.input ?? new Blob([]).stream()
      const unpack = files((what: TreeImport, scope) => importTree(what, archive, scope))
      return unpack(operation, control)
    },
    "port.connect": async ({ port }, { signal }) => {
      const { connections } = await awake()
      return connectPort(port, signal, connections)
    },
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]> {
    control.signal.throwIfAborted()
    if (destroyed) throw sandboxClosed()
    return handlers[operation.kind as Kind](operation, control)
  }

  /** The directory stays: it is the user's. */
  function rest(reason: ToolFailure): Promise<void> {
    const last = waking
    waking = null
    watching?.then((watch) => watch.close()).catch(() => {})
    watching = null
    if (last) {
      last.closing.abort(reason)
      resting = last.close()
    }
    return resting
  }

  return {
    name,
    image: "host",
    can,
    home: directory,
    roots: [directory],
    perform,
    sleep: () => rest(sandboxAsleep()),
    setNetwork: async (network) => requireNetwork(can, network),
    snapshot: noSnapshots(can.host),
    watch() {
      watching ??= openWatch(directory)
      return watching
    },
    usage: async () => ({
      ...{ cpuMs: notConfined, memoryBytes: notConfined, processes: notConfined },
      diskBytes: { unknown: "it is a directory of this machine, which is not measured" },
    }),
    destroy: () => {
      destroyed ??= rest(sandboxClosed())
      return destroyed
    },
  }
}

/** Loaded on first use: few sandboxes are looked at. */
async function openWatch(directory: string): Promise<SandboxWatch> {
  const { watchDirectory } = await import("../../effects/watch-directory.ts")
  return watchDirectory(directory)
}

function wake(id: string, options: LocalSandboxOptions): Waking {
  const { clock, bash, environment, processes = processTable() } = options
  const temporaryDirectory = environment.TMPDIR || tmpdir()
  const closing = new AbortController()
  const closed = Promise.withResolvers<void>()
  const connections = new Set<Connection>()
  const scope: CommandScope = {
    id,
    clock,
    bash,
    environment,
    processes,
    temporaryDirectory,
    fifos: createFifoStore(temporaryDirectory),
    groups: new Set(),
    leftOpen: new Set(),
    closing: closing.signal,
    closed: closed.promise,
  }

  async function endEverything(): Promise<void> {
    for (const connection of connections) connection.close()
    await endProcesses({ mark: id, groups: scope.groups, processes, clock })
    for (const output of scope.leftOpen) output.close()
    await scope.fifos.close()
  }

  return {
    scope,
    connections,
    closing,
    close() {
      closed.resolve(endEverything())
      return closed.promise
    },
  }
}

/** File operations that stay in a directory and fail in the words of every host. */
function inside(root: string) {
  return <FileOperation extends { readonly path: string }, Result>(
    perform: (operation: FileOperation, scope: FileScope) => Promise<Result>,
  ) =>
    async (operation: FileOperation, { signal }: OperationControl): Promise<Result> => {
      try {
        return await perform(operation, { root, signal })
      } catch (error) {
        signal.throwIfAborted()
        throw fileError(error, operation.path)
      }
    }
}

function processTable(): ProcessTable {
  return existsSync("/proc/self/environ") ? linuxProcessTable("/proc") : signalTable
}
