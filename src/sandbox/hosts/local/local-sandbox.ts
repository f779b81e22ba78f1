import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import type { Capabilities } from "../../../contract/index.ts"
import { type Clock, createId } from "../../../kit/index.ts"
import type { Sandbox } from "../../host.ts"
import type { Operation, OperationControl, OperationResults } from "../../operation.ts"
import { sandboxClosed } from "../../sandbox-closed.ts"
import { requireNetwork, unsupported } from "../../unsupported.ts"
import type { Environment } from "./commands/command-environment.ts"
import type { CommandScope } from "./commands/command-scope.ts"
import { endProcesses } from "./commands/end-processes.ts"
import { createFifoStore } from "./commands/fifo-store.ts"
import { linuxProcessTable } from "./commands/linux-process-table.ts"
import { type ProcessTable, signalTable } from "./commands/process-table.ts"
import { runCommand } from "./commands/run-command.ts"
import { fileError } from "./file-error.ts"
import type { FileScope } from "./files/file-scope.ts"
import { listDirectory } from "./files/list-directory.ts"
import { readFile } from "./files/read-file.ts"
import { statFile } from "./files/stat-file.ts"
import { writeFile } from "./files/write-file.ts"

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

type Handlers = {
  readonly [Kind in Operation["kind"]]: (
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ) => Promise<OperationResults[Kind]>
}

export function createLocalSandbox(options: LocalSandboxOptions): Sandbox {
  const { name, directory, can, bash, clock, environment } = options
  const { processes = processTable() } = options
  const temporaryDirectory = environment.TMPDIR || tmpdir()
  const closing = new AbortController()
  const closed = Promise.withResolvers<void>()
  const scope: CommandScope = {
    id: createId("sandbox"),
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
  const files = inside(directory)
  const notYet = async () => {
    throw unsupported(can.host, "do this")
  }
  let hasRun = false
  const handlers: Handlers = {
    "command.run": (operation, control) => {
      hasRun = true
      return runCommand(operation, control, scope)
    },
    "file.read": files(readFile),
    "file.write": files(writeFile),
    "file.stat": files(statFile),
    "file.list": files(listDirectory),
    "file.mkdir": notYet,
    "file.remove": notYet,
    "file.rename": notYet,
    "file.copy": notYet,
    "tree.export": notYet,
    "tree.import": notYet,
    "port.connect": notYet,
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]> {
    control.signal.throwIfAborted()
    if (closing.signal.aborted) throw sandboxClosed()
    return handlers[operation.kind as Kind](operation, control)
  }

  /** The directory stays: it is the user's. */
  async function endEverything(): Promise<void> {
    if (hasRun) await endProcesses({ mark: scope.id, groups: scope.groups, processes, clock })
    for (const output of scope.leftOpen) output.close()
    await scope.fifos.close()
  }

  function destroy(): Promise<void> {
    if (!closing.signal.aborted) {
      closing.abort()
      closed.resolve(endEverything())
    }
    return closed.promise
  }

  return {
    name,
    image: "host",
    can,
    home: directory,
    roots: [directory],
    perform,
    sleep: async () => {
      throw unsupported(can.host, "sleep")
    },
    setNetwork: async (network) => requireNetwork(can, network),
    snapshot: async () => {
      throw unsupported(can.host, "hold the files of a sandbox as they are")
    },
    destroy,
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
