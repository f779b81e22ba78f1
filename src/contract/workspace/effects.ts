import type { FileType } from "./workspace.ts"

/** What nobody could look at, and why. Never an empty list for that. */
export interface Unknown {
  /** Completes "not known, because ...". */
  readonly unknown: string
}

/** The first of many, and how many there are. */
export interface Listed<Item> {
  readonly count: number
  readonly first: readonly Item[]
}

/** What a call did in its sandbox, as seen from outside. */
export interface CallEffects {
  readonly sandbox: string
  /** Other calls in that sandbox meanwhile. What they did can't be told apart, and is in here as well. */
  readonly shared: readonly string[]
  readonly files: FileEffects | Unknown
  readonly network: NetworkEffects
  /** What runs on after the call and did not run before it. */
  readonly processes: Listed<LeftProcess> | Unknown
  readonly memory: MemoryEffects | Unknown
  readonly output: OutputEffects | Unknown
}

export interface FileEffects {
  /** The only directory that was looked at. */
  readonly below: string
  readonly created: Listed<ChangedFile>
  /** Written, or given another mode, time or owner. */
  readonly changed: Listed<ChangedFile>
  readonly removed: Listed<ChangedFile>
  /** Why there may be more than these. */
  readonly incomplete?: string
}

/** What happened to a path. */
export type FileChange = "created" | "changed" | "removed"

/** The one change that two have the same end as; null where there is none. */
export function changesTogether(before: FileChange, now: FileChange): FileChange | null {
  if (before === "created") return now === "removed" ? null : "created"
  if (before === "removed") return now === "created" ? "changed" : now
  return now === "created" ? "changed" : now
}

export interface ChangedFile {
  /** Below the directory that was looked at. A name can hold any character. */
  readonly path: string
  readonly type: FileType
  /** Null for a removed file whose size nobody had seen, and for what is not a file. */
  readonly bytes: number | null
  /** What was in a file before the call; absent for one that was made, and for what is not a file. */
  readonly before?: FileText | Unknown
  /** What was in a file after the call; absent for one that was removed, and for what is not a file. */
  readonly after?: FileText | Unknown
}

export interface FileText {
  readonly text: string
}

export interface NetworkEffects {
  readonly reached: Listed<NetworkUse> | Unknown
  readonly refused: Listed<NetworkUse> | Unknown
}

export interface NetworkUse {
  readonly target: string
  readonly port: number
  /** The rule that decided. */
  readonly rule: string
}

export interface LeftProcess {
  /** Its number inside the sandbox. */
  readonly pid: number
  readonly command: string
}

export interface MemoryEffects {
  /** The most that the sandbox had at once, in bytes, the files that the kernel holds for it included. */
  readonly peak: number
  /** Since when that is counted, in milliseconds since 1970: the start of this call, or of one before it. */
  readonly since: number
}

export interface OutputEffects {
  /** Bytes that were printed or answered, and are not in the envelope. */
  readonly cut: number
}
