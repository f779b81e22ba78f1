/** What can go wrong on a virtual disk, named and worded as a real system does it. */
const words = {
  ENOENT: "no such file or directory",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EEXIST: "file already exists",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EINVAL: "invalid argument",
  EBUSY: "resource busy or locked",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "name too long",
  ENOSPC: "no space left on device",
  EIO: "input/output error",
} as const

export type DiskErrorCode = keyof typeof words

export class DiskError extends Error {
  override readonly name = "DiskError"
  readonly code: DiskErrorCode

  constructor(code: DiskErrorCode) {
    // Commands of the shell recognise an error by the code at the start of its message.
    super(`${code}: ${words[code]}`)
    this.code = code
  }
}
