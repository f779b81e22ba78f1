import { WorkspaceError, type WorkspaceErrorCode } from "../../host/workspace-error.ts"
import { DiskError, type DiskErrorCode } from "./disk/disk-node.ts"

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
