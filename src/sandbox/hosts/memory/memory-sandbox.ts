import type { Capabilities } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import type { Operation, OperationControl, OperationResults } from "../../host/operation.ts"
import { noSnapshots, requireNetwork, sandboxAsleep, unsupported } from "../../host/unsupported.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import type { FrozenTree } from "./disk/frozen-tree.ts"
import { createDisk, home, temporary } from "./disk/virtual-disk.ts"
import { performFileOperation, withWorkspaceErrors } from "./perform-file-operation.ts"
import { runCommand } from "./run-command.ts"
import { exportTree, importTree } from "./stream-trees.ts"
import { sandboxGone, ThreadPool } from "./threads/thread-pool.ts"

export interface MemorySandboxOptions {
  readonly name: string
  readonly can: Capabilities
  readonly diskBytes: number
  readonly memoryBytes: number
  readonly threads: number
  /** What it starts with. */
  readonly files: FrozenTree | null
  /** Stores what was recorded, and names it. */
  readonly store: (files: FrozenTree) => string
}

const interpreted = { unknown: "commands are interpreted, in threads of the server's process" }

/** Files live here, in this thread; commands reach them from threads of their own. */
export function createMemorySandbox(options: MemorySandboxOptions): Sandbox {
  const { name, can, memoryBytes, threads } = options
  const disk = createDisk(options.diskBytes)
  const { files } = options
  if (files) withWorkspaceErrors(home, () => disk.thaw(home, files))
  const pool = new ThreadPool({ disk, memoryBytes, threads })
  let destroyed = false
  let commands = 0

  async function answer(operation: Operation, control: OperationControl) {
    control.signal.throwIfAborted()
    if (destroyed) throw sandboxGone()
    if (operation.kind === "port.connect") throw unsupported(can.host, "listen on ports")
    if (operation.kind === "tree.export") return exportTree(disk, operation, control)
    if (operation.kind === "tree.import") return importTree(disk, operation, control)
    if (operation.kind !== "command.run") return performFileOperation(disk, operation)
    const { type } = performFileOperation(disk, { kind: "file.stat", path: operation.cwd })
    if (type !== "directory") throw new WorkspaceError("not-directory", operation.cwd)
    commands += 1
    return runCommand(operation, control, pool).finally(() => {
      commands -= 1
    })
  }

  return {
    name,
    image: "virtual",
    can,
    home,
    roots: [home, temporary],
    async perform<Kind extends Operation["kind"]>(
      operation: Extract<Operation, { kind: Kind }>,
      control: OperationControl,
    ): Promise<OperationResults[Kind]> {
      return (await answer(operation, control)) as OperationResults[Kind]
    },
    sleep: () => pool.rest(sandboxAsleep()),
    setNetwork: async (network) => requireNetwork(can, network),
    snapshot: noSnapshots(can.host),
    // Loaded on first use: few sandboxes are looked at.
    async watch() {
      const { watchDisk } = await import("./disk/watch-disk.ts")
      return watchDisk(disk, home)
    },
    usage: async () => ({
      ...{ cpuMs: interpreted, memoryBytes: interpreted, processes: interpreted },
      diskBytes: disk.usedBytes,
    }),
    async checkpoint() {
      if (destroyed) throw sandboxGone()
      const files = withWorkspaceErrors(home, () => disk.freeze(home))
      // Commands leave nothing running.
      return { id: options.store(files), incomplete: [], isQuiet: commands === 0 }
    },
    async destroy() {
      destroyed = true
      await pool.destroy()
    },
  }
}
