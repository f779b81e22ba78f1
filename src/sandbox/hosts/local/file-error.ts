import { ToolFailure } from "../../../contract/index.ts"
import { WorkspaceError, type WorkspaceErrorCode } from "../../workspace-error.ts"

const codes: Readonly<Record<string, WorkspaceErrorCode>> = {
  ENOENT: "not-found",
  EISDIR: "is-directory",
  ENOTDIR: "not-directory",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ETXTBSY: "denied",
  ENOSPC: "no-space",
  EDQUOT: "no-space",
  EFBIG: "no-space",
  ENAMETOOLONG: "name-too-long",
  ELOOP: "link-loop",
  // What opening a socket, or a device without a driver, answers.
  ENXIO: "not-file",
  ENODEV: "not-file",
}

/** A system's error about a path, in the words that are the same on every host. */
export function fileError(error: unknown, path: string): Error {
  if (error instanceof ToolFailure) return error
  return new WorkspaceError(codes[errnoOf(error) ?? ""] ?? "failed", path, { cause: error })
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}
