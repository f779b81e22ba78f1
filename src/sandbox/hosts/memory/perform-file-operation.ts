import type { Operation, OperationResults } from "../../host/operation.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { copyFile, makeDirectory, removeFile, renameFile } from "./change-files.ts"
import type { VirtualDisk } from "./disk/virtual-disk.ts"
import { inWorkspaceWords } from "./in-workspace-words.ts"

type FileOperation = Extract<Operation, { kind: `file.${string}` }>
type FileResult = OperationResults[FileOperation["kind"]]

/** Uses the disk at once, in this thread: no file operation waits for a command. */
export function performFileOperation<Kind extends FileOperation["kind"]>(
  disk: VirtualDisk,
  operation: Extract<FileOperation, { kind: Kind }>,
): OperationResults[Kind] {
  return inWorkspaceWords(operation.path, () => perform(disk, operation) as OperationResults[Kind])
}

function perform(disk: VirtualDisk, operation: FileOperation): FileResult {
  const { path } = operation
  switch (operation.kind) {
    case "file.read":
      requireRegular(disk, path)
      return disk.read(path, operation.offset, operation.length ?? undefined)
    case "file.write": {
      if (disk.exists(path)) requireRegular(disk, path)
      const { append, mode } = operation
      disk.writeWith(path, new Uint8Array(operation.data), { append, mode, makeParents: true })
      return null
    }
    case "file.stat": {
      const { type, size, modifiedMs, mode } = disk.stat(path)
      // Links were followed, so none is left to report.
      return { type: type === "symlink" ? "other" : type, size, modifiedMs, mode }
    }
    case "file.list":
      return disk.list(path).slice(0, operation.limit)
    case "file.mkdir":
      return makeDirectory(disk, operation)
    case "file.remove":
      return removeFile(disk, operation)
    case "file.rename":
      return renameFile(disk, operation)
    case "file.copy":
      return copyFile(disk, operation)
    default:
      return operation satisfies never
  }
}

/** A directory has errors of its own; a device is no place for a tool's files. */
function requireRegular(disk: VirtualDisk, path: string): void {
  if (disk.stat(path).type === "other") throw new WorkspaceError("not-file", path)
}
