import type { Operation } from "../../operation.ts"
import { WorkspaceError } from "../../workspace-error.ts"
import type { DiskWatch } from "./watch-disk.ts"

/** Refuses what writes into a home that is full; true when something else is asked of a full one. */
export async function requireRoom(operation: Operation, disk: DiskWatch): Promise<boolean> {
  if (!disk.isFull) return false
  const problem = await disk.problem()
  if (problem === null) return false
  const path = writtenPath(operation)
  // Temporary files are memory, which has its own limit.
  if (path !== null && !path.startsWith("/tmp/")) {
    throw new WorkspaceError("no-space", path, { cause: problem })
  }
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
