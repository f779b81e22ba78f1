import type { Operation, OperationResults } from "../../host/operation.ts"
import { WorkspaceError, type WorkspaceErrorCode } from "../../host/workspace-error.ts"
import type { DiskStat } from "./disk/disk-calls.ts"
import { DiskError, type DiskErrorCode } from "./disk/disk-node.ts"
import type { VirtualDisk } from "./disk/virtual-disk.ts"

type FileOperation = Extract<Operation, { kind: `file.${string}` }>
type FileResult = OperationResults[FileOperation["kind"]]

/** Uses the disk at once, in this thread: no file operation waits for a command. */
export function performFileOperation<Kind extends FileOperation["kind"]>(
  disk: VirtualDisk,
  operation: Extract<FileOperation, { kind: Kind }>,
): OperationResults[Kind] {
  return withWorkspaceErrors(
    operation.path,
    () => perform(disk, operation) as OperationResults[Kind],
  )
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

/** A directory has errors of its own; a tool can't store files in a device. */
function requireRegular(disk: VirtualDisk, path: string): void {
  if (disk.stat(path).type === "other") throw new WorkspaceError("not-file", path)
}

type Of<Kind extends Operation["kind"]> = Extract<Operation, { kind: Kind }>

function makeDirectory(disk: VirtualDisk, { path, mode }: Of<"file.mkdir">): null {
  const existing = lookAt(disk, path)
  const isDirectory = disk.exists(path) && disk.stat(path).type === "directory"
  if (isDirectory) return null
  if (existing !== null) throw new WorkspaceError("not-directory", path)
  disk.makeDirectory(path, { parents: true })
  if (mode !== null) disk.setMode(path, mode)
  return null
}

function removeFile(disk: VirtualDisk, { path, recursive }: Of<"file.remove">): null {
  if (recursive) requireSource(disk, path)
  disk.remove(path, { recursive, force: false })
  return null
}

function renameFile(disk: VirtualDisk, { path, to }: Of<"file.rename">): null {
  const source = requireSource(disk, path)
  const target = prepareTarget(disk, source, to)
  if (source.id === target?.id) {
    const cause = new Error("Both names lead to the same file.")
    throw new WorkspaceError("failed", path, { cause })
  }
  refuseItself(path, () => disk.rename(path, to))
  return null
}

function copyFile(disk: VirtualDisk, { path, to }: Of<"file.copy">): null {
  const source = requireSource(disk, path)
  prepareTarget(disk, source, to)
  refuseItself(path, () => disk.copyTree(path, to))
  return null
}

/** Both paths have been looked at: only a path inside the directory itself is not a valid argument now. */
function refuseItself(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== "EINVAL") throw error
    throw new WorkspaceError("into-itself", path, { cause: error })
  }
}

/** What has to be there; that a part of the way is a file means that it is not. */
function requireSource(disk: VirtualDisk, path: string): DiskStat {
  try {
    return disk.lstat(path)
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== "ENOTDIR") throw error
    throw new WorkspaceError("not-found", path, { cause: error })
  }
}

/** Makes the directories above, and refuses what must not be replaced. Tells what will be. */
function prepareTarget(disk: VirtualDisk, source: DiskStat, to: string): DiskStat | null {
  return withWorkspaceErrors(to, () => {
    const target = lookAt(disk, to)
    if (target?.type === "directory") throw new WorkspaceError("is-directory", to)
    if (target !== null && source.type === "directory") {
      throw new WorkspaceError("not-directory", to)
    }
    disk.makeParents(to)
    return target
  })
}

/** What is at a path itself, a link not followed; null when nothing is. */
function lookAt(disk: VirtualDisk, path: string): DiskStat | null {
  try {
    return disk.lstat(path)
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT") return null
    throw error
  }
}

const codes: Partial<Record<DiskErrorCode, WorkspaceErrorCode>> = {
  ENOENT: "not-found",
  EISDIR: "is-directory",
  ENOTDIR: "not-directory",
  // A file is where a directory was to be made.
  EEXIST: "not-directory",
  ENOTEMPTY: "not-empty",
  EACCES: "denied",
  EPERM: "denied",
  ENOSPC: "no-space",
  ENAMETOOLONG: "name-too-long",
  ELOOP: "link-loop",
}

/** Work on the disk whose errors are about a path, in the words that are the same on every host. */
export function withWorkspaceErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    throw new WorkspaceError(codes[error.code] ?? "failed", path, { cause: error })
  }
}
