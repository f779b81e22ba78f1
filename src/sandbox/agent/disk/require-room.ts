import type { Operation } from "../../host/operation.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { commandsRefused } from "./disk-full.ts"
import type { DiskWatch } from "./watch-disk.ts"

/** Refuses what writes into a sandbox that is full; true when something else is asked of a full one. */
export async function requireRoom(operation: Operation, disk: DiskWatch): Promise<boolean> {
  const path = writtenPath(operation)
  if (!disk.isFull && (path === null || disk.hasRoom())) return false
  const problem = await disk.problem()
  if (problem === null) return false
  // Also where a path leads to memory: a link there may lead back to the home.
  if (path !== null)
    throw new WorkspaceError("no-space", path, { cause: problem, why: problem.reason })
  if (disk.growsOn && operation.kind === "command.run") throw commandsRefused(problem)
  return true
}

function writtenPath(operation: Operation): string | null {
  switch (operation.kind) {
    case "file.write":
    case "file.mkdir":
    case "tree.import":
      return operation.path
    case "file.copy":
      return operation.to
    default:
      return null
  }
}
