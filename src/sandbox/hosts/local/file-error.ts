import { WorkspaceError, type WorkspaceErrorCode } from "../../host/workspace-error.ts"

const codes: Readonly<Record<string, WorkspaceErrorCode>> = {
  ENOENT: "not-found",
  EISDIR: "is-directory",
  ENOTDIR: "not-directory",
  ENOTEMPTY: "not-empty",
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
export function fileError(error: unknown, path: string): unknown {
  const errno = errnoOf(error)
  return errno ? new WorkspaceError(codes[errno] ?? "failed", path, { cause: error }) : error
}

/** Work on one path among several, whose errors are about that one. */
export async function about<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw fileError(error, path)
  })
}

/** The name of a system's error, such as "ENOENT"; undefined for every other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}
