import type { Capabilities, CodeLanguage } from "./capabilities.ts"

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
  /** Makes it and those above it; a directory that is there already is fine. */
  mkdir(path: string, options?: MkdirOptions): Promise<void>
  /** A file, a link (never what it leads to) or a directory; a full one only when `recursive`. */
  remove(path: string, options?: RemoveOptions): Promise<void>
  /** Takes the place of a file that is at `to`, never of a directory. Makes the directories above. */
  rename(path: string, to: string, options?: SignalOption): Promise<void>
  /** A file or a whole tree, with permissions, times and links. Otherwise as `rename`. */
  copy(path: string, to: string, options?: SignalOption): Promise<void>

  /** A tar of a directory's content, or of one file. Cancel the stream to end it early. */
  exportTree(path: string, options?: SignalOption): Promise<ReadableStream<Uint8Array>>
  /** Unpacks a tar; nothing in it can land outside `path`. Resolves when all of it is there. */
  importTree(
    path: string,
    archive: ReadableStream<Uint8Array>,
    options?: ImportOptions,
  ): Promise<void>

  /** Runs a program given as text. */
  runCode(language: CodeLanguage, code: string, options?: ExecOptions): Promise<ExecResult>
  readonly processes: WorkspaceProcesses
  /** A program with a terminal of its own, for a person. The sandbox does not sleep while it is open. */
  openTerminal(options: TerminalOptions): Promise<Terminal>
  /** A connection to a server inside that listens on this port. */
  connect(port: number, options?: SignalOption): Promise<Connection>
}

/** Commands that go on in the background. Their output, both streams, is in a file of the sandbox. */
export interface WorkspaceProcesses {
  start(command: string | readonly string[], options?: StartOptions): Promise<ProcessStatus>
  list(): Promise<readonly ProcessStatus[]>
  status(id: string): Promise<ProcessStatus>
  /** Until it is over, or until the time is: look at the state. */
  wait(id: string, options?: WaitOptions): Promise<ProcessStatus>
  /** What it has written so far, from a byte on. */
  output(id: string, options?: ReadOptions): Promise<ProcessOutput>
  /** More input for one that was started with `openInput`. Resolves when it was taken. */
  write(
    id: string,
    input: string | Uint8Array,
    options?: ProcessWriteOptions,
  ): Promise<ProcessStatus>
  /** Asks the whole group to end, and kills what is left after the grace. */
  kill(id: string, options?: KillOptions): Promise<ProcessStatus>
}

export interface ProcessStatus {
  readonly id: string
  /** Its number inside the sandbox. */
  readonly pid: number
  readonly command: string | readonly string[]
  readonly cwd: string
  readonly logFile: string
  readonly startedMs: number
  readonly state: ProcessState
}

export type ProcessState =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly by: "user" }
  /** The sandbox slept, was restarted or lost its Toolkeep: nobody knows how it ended. */
  | { readonly kind: "gone"; readonly why: string }

export interface ProcessOutput {
  readonly text: string
  readonly bytes: Uint8Array
  /** Where the next piece starts. */
  readonly nextOffset: number
  readonly state: ProcessState
}

export interface TerminalOptions extends SignalOption {
  /** As for `exec`; an interactive bash when absent. */
  readonly command?: string | readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly columns: number
  readonly rows: number
}

/** A terminal inside a sandbox, and the program in it. Aborting its signal closes it. */
export interface Terminal {
  /** What the program draws. While nobody reads, the program waits. Cancel it to close the terminal. */
  readonly output: ReadableStream<Uint8Array>
  /** Types: resolves when the terminal has taken it, and at once when it has ended. */
  write(input: string | Uint8Array): Promise<void>
  /** The program is told (SIGWINCH). */
  resize(columns: number, rows: number): Promise<void>
  /** Resolves once the program is over and its output is read. */
  readonly ended: Promise<TerminalEnding>
  /** Ends the program and everything that it has started. */
  close(): Promise<void>
}

export type TerminalEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "closed" }
  /** Such as a sandbox that went to sleep. */
  | { readonly kind: "gone"; readonly why: string }

/** Both directions of one connection. */
export interface Connection {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
  close(): void
}

export interface SignalOption {
  readonly signal?: AbortSignal | undefined
}

export interface ExecOptions extends SignalOption {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** All of its standard input, or a stream that is read while the command runs. */
  readonly stdin?: string | Uint8Array | ReadableStream<Uint8Array> | undefined
  /** Ends the command this long after its start. */
  readonly timeoutMs?: number | undefined
  /** Ends the command when it has written nothing for this long. */
  readonly idleTimeoutMs?: number | undefined
  /** How much of each stream is kept: its head and its tail. */
  readonly maxOutputBytes?: number | undefined
  /** Nothing more of a stream is read until a promise that it returns is kept. */
  readonly onOutput?: ((output: OutputChunk) => void) | undefined
  /** How long the command may take to end before it is killed, once its signal is aborted. */
  readonly graceMs?: number | undefined
  /** When false, an aborted command answers with `ending: { kind: "aborted" }` and the output that it had. */
  readonly rejectOnAbort?: boolean | undefined
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

/** Why a command stopped. Exit code 124 goes with both timeouts, 143 with an abort. */
export type CommandEnding =
  | { readonly kind: "exited" }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "idle"; readonly afterMs: number }
  | { readonly kind: "aborted" }

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

export interface MkdirOptions extends SignalOption {
  readonly mode?: number | undefined
}

export interface RemoveOptions extends SignalOption {
  readonly recursive?: boolean | undefined
}

export interface ImportOptions extends SignalOption {
  /** What `path` becomes: a directory that holds what the archive holds, or the one file in it. */
  readonly as?: "directory" | "file" | undefined
}

export interface StartOptions extends Pick<ExecOptions, "cwd" | "env" | "signal"> {
  readonly stdin?: string | Uint8Array | undefined
  /** Its input does not end with `stdin`: `write` adds to it. */
  readonly openInput?: boolean | undefined
}

export interface ProcessWriteOptions extends SignalOption {
  /** The input ends with this. */
  readonly end?: boolean | undefined
}

export interface WaitOptions extends SignalOption {
  readonly timeoutMs?: number | undefined
}

export interface KillOptions extends SignalOption {
  readonly graceMs?: number | undefined
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
