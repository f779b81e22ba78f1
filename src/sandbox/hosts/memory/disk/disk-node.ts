/** What a directory's name leads to. Two names that are hard links lead to one node. */
export type DiskNode = FileNode | DirectoryNode | LinkNode | DeviceNode

export interface NodeFacts {
  readonly id: number
  readonly owner: Owner
  /** Permission bits. */
  mode: number
  modifiedMs: number
  /** How many names lead here. */
  names: number
}

export interface FileNode extends NodeFacts {
  readonly kind: "file"
  /** May be longer than the content, so that appending costs no copy each time. */
  buffer: Uint8Array
  size: number
}

export interface DirectoryNode extends NodeFacts {
  readonly kind: "directory"
  readonly entries: Map<string, DiskNode>
  /** Null for the root. */
  parent: DirectoryNode | null
}

interface LinkNode extends NodeFacts {
  readonly kind: "symlink"
  readonly target: string
}

/** The only device there is swallows what is written and has nothing to read. */
interface DeviceNode extends NodeFacts {
  readonly kind: "device"
}

/** Commands run as "user"; the system's directories belong to "root". */
export type Owner = "root" | "user"

const accessBits = { read: 0o4, write: 0o2, search: 0o1 } as const

export function mayAccess(node: DiskNode, access: keyof typeof accessBits): boolean {
  const granted = node.owner === "user" ? node.mode >> 6 : node.mode
  return (granted & accessBits[access]) !== 0
}

/** The file's content as it is now; a later change never shows in it. */
export function contentOf(file: FileNode, offset = 0, length: number = file.size): Uint8Array {
  return file.buffer.slice(offset, Math.min(file.size, offset + length))
}

export function sizeOf(node: DiskNode): number {
  if (node.kind === "file") return node.size
  return node.kind === "symlink" ? Buffer.byteLength(node.target) : 0
}

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

/** Counts what a disk holds and refuses what does not fit. */
export class DiskSpace {
  readonly limit: number
  #used = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** A negative amount gives space back. */
  take(bytes: number): void {
    if (bytes > 0 && this.#used + bytes > this.limit) throw new DiskError("ENOSPC")
    this.#used += bytes
  }
}
