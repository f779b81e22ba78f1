import type { Capabilities } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import type { Operation, OperationControl, OperationResults } from "../../host/operation.ts"
import { noSnapshots, requireNetwork, sandboxAsleep, unsupported } from "../../host/unsupported.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { createDisk, home, temporary } from "./disk/virtual-disk.ts"
import { performFileOperation } from "./perform-file-operation.ts"
import { runCommand } from "./run-command.ts"
import { exportTree, importTree } from "./stream-trees.ts"
import { sandboxGone, ThreadPool } from "./threads/thread-pool.ts"

export interface MemorySandboxOptions {
  readonly name: string
  readonly can: Capabilities
  readonly diskBytes: number
  readonly memoryBytes: number
  readonly threads: number
}

/** Files live here, in this thread; commands reach them from threads of their own. */
export function createMemorySandbox(options: MemorySandboxOptions): Sandbox {
  const { name, can, memoryBytes, threads } = options
  const disk = createDisk(options.diskBytes)
  const pool = new ThreadPool({ disk, memoryBytes, threads })
  let destroyed = false

  async function answer(operation: Operation, control: OperationControl) {
    control.signal.throwIfAborted()
    if (destroyed) throw sandboxGone()
    if (operation.kind === "port.connect") throw unsupported(can.host, "listen on ports")
    if (operation.kind === "tree.export") return exportTree(disk, operation, control)
    if (operation.kind === "tree.import") return importTree(disk, operation, control)
    if (operation.kind !== "command.run") return performFileOperation(disk, operation)
    const { type } = performFileOperation(disk, { kind: "file.stat", path: operation.cwd })
    if (type !== "directory") throw new WorkspaceError("not-directory", operation.cwd)
    return runCommand(operation, control, pool)
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
    async destroy() {
      destroyed = true
      await pool.destroy()
    },
  }
}
