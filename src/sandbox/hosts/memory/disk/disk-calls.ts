import type { FileType } from "../../../../contract/index.ts"
import type { VirtualDisk } from "./virtual-disk.ts"

export interface DiskStat {
  readonly type: FileType
  readonly size: number
  readonly mode: number
  readonly modifiedMs: number
  /** The same for two names of one file. */
  readonly id: number
}

export interface DiskEntry {
  readonly name: string
  readonly type: FileType
}

/** What a shell in another thread may ask of the disk, one message each. */
export const diskCalls = [
  ...(["read", "write", "append", "exists", "stat", "lstat", "list", "remove"] as const),
  ...(["makeDirectory", "copy", "rename", "link", "symlink", "readLink"] as const),
  ...(["realPath", "setMode", "setModified"] as const),
] satisfies (keyof VirtualDisk)[]

export type DiskCalls = Pick<VirtualDisk, (typeof diskCalls)[number]>
