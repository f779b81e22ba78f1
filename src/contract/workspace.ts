import type { Capabilities } from "./capabilities.ts"

/** What a tool may do to a sandbox: run commands and use files. Nothing about its life. */
export interface Workspace {
  /** The sandbox's name in its pool. */
  readonly name: string
  /** Where relative paths start. */
  readonly cwd: string
  /** The directories that file tools may use, absolute. */
  readonly roots: readonly string[]
  readonly can: Capabilities

  /**
   * Runs a command: a string is read by bash, a list is run as it is.
   * A deadline ends it with `ending: { kind: "timed-out" }`; an aborted signal rejects with its reason.
   */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>

  readFile(path: string, options?: ReadOptions): Promise<string>
  readFileBuffer(path: string, options?: ReadOptions): Promise<Uint8Array>
  writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>
  stat(path: string, options?: SignalOption): Promise<FileStat>
  /** Sorted by name; at most `limit` entries are returned. */
  readdir(path: string, options?: ReaddirOptions): Promise<readonly DirectoryEntry[]>
  exists(path: string, options?: SignalOption): Promise<boolean>
}

export interface SignalOption {
  readonly signal?: AbortSignal | undefined
}

export interface ExecOptions extends SignalOption {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | Uint8Array | undefined
  /** Ends the command this long after its start. */
  readonly timeoutMs?: number | undefined
  /** Ends the command when it has written nothing for this long. */
  readonly idleTimeoutMs?: number | undefined
  /** How much of each stream is kept: its head and its tail. */
  readonly maxOutputBytes?: number | undefined
  readonly onOutput?: ((output: OutputChunk) => void) | undefined
}

export interface OutputChunk {
  readonly stream: "stdout" | "stderr"
  readonly bytes: Uint8Array
}

export interface ExecResult {
  readonly exitCode: number
  /** Decoded as UTF-8; where output was dropped, a line in the middle says how much. */
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: Uint8Array
  readonly stderrBytes: Uint8Array
  readonly omitted: { readonly stdout: number; readonly stderr: number }
  readonly durationMs: number
  readonly ending: CommandEnding
}

/** Why a command stopped. Exit code 124 goes with both timeouts. */
export type CommandEnding =
  | { readonly kind: "exited" }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "idle"; readonly afterMs: number }

export interface ReadOptions extends SignalOption {
  /** The first byte to read; from the start when absent. */
  readonly offset?: number | undefined
  /** How many bytes to read at most; to the end when absent. */
  readonly length?: number | undefined
}

export interface WriteOptions extends SignalOption {
  readonly append?: boolean | undefined
  /** Permission bits of a file that is made; an existing file keeps its own. */
  readonly mode?: number | undefined
}

export interface ReaddirOptions extends SignalOption {
  readonly limit?: number | undefined
}

export type FileType = "file" | "directory" | "symlink" | "other"

export interface FileStat {
  /** What the path leads to, symbolic links followed. */
  readonly type: Exclude<FileType, "symlink">
  readonly size: number
  readonly modifiedMs: number
  readonly mode: number
}

export interface DirectoryEntry {
  readonly name: string
  readonly type: FileType
}
