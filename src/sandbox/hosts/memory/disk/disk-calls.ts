import type { FileType } from "../../../../contract/index.ts"

/** What a shell in another thread may ask of the disk, one message each. */
export interface DiskCalls {
  read(path: string): Uint8Array
  write(path: string, data: Uint8Array): void
  append(path: string, data: Uint8Array): void
  exists(path: string): boolean
  stat(path: string): DiskStat
  /** Like stat, but says what a symbolic link itself is. */
  lstat(path: string): DiskStat
  /** Sorted by name. */
  list(path: string): readonly DiskEntry[]
  makeDirectory(path: string, options: { readonly parents: boolean }): void
  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): void
  copy(from: string, to: string, options: { readonly recursive: boolean }): void
  rename(from: string, to: string): void
  link(existing: string, path: string): void
  symlink(target: string, path: string): void
  readLink(path: string): string
  realPath(path: string): string
  setMode(path: string, mode: number): void
  setModified(path: string, modifiedMs: number): void
}

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

/** Their names, for whoever calls from another thread. */
export const diskCalls = [
  ...(["read", "write", "append", "exists", "stat", "lstat", "list", "remove"] as const),
  ...(["makeDirectory", "copy", "rename", "link", "symlink", "readLink"] as const),
  ...(["realPath", "setMode", "setModified"] as const),
] satisfies (keyof DiskCalls)[]
