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

export interface LinkNode extends NodeFacts {
  readonly kind: "symlink"
  readonly target: string
}

/** The only device there is swallows what is written and has nothing to read. */
export interface DeviceNode extends NodeFacts {
  readonly kind: "device"
}

/** Whoever runs commands is "user"; the system's directories belong to "root". */
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
