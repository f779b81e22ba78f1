import type {
  CommandEnding,
  Connection,
  DirectoryEntry,
  FileStat,
  OutputChunk,
} from "../../contract/index.ts"

/**
 * What is asked of a sandbox, as plain data: it can be recorded, queued or sent to another machine. Paths are absolute and clean; every field that can have a default has it filled in.
 */
export type Operation =
  | CommandRun
  | FileRead
  | FileWrite
  | { readonly kind: "file.stat"; readonly path: string }
  | { readonly kind: "file.list"; readonly path: string; readonly limit: number }
  | { readonly kind: "file.mkdir"; readonly path: string; readonly mode: number | null }
  | { readonly kind: "file.remove"; readonly path: string; readonly recursive: boolean }
  | { readonly kind: "file.rename"; readonly path: string; readonly to: string }
  | { readonly kind: "file.copy"; readonly path: string; readonly to: string }
  | { readonly kind: "tree.export"; readonly path: string }
  | TreeImport
  | { readonly kind: "port.connect"; readonly port: number }

export interface CommandRun {
  readonly kind: "command.run"
  readonly command: string | readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Uint8Array
  readonly timeoutMs: number | null
  readonly idleTimeoutMs: number | null
  readonly maxOutputBytes: number
}

export interface FileRead {
  readonly kind: "file.read"
  readonly path: string
  readonly offset: number
  readonly length: number | null
}

export interface FileWrite {
  readonly kind: "file.write"
  readonly path: string
  readonly data: Uint8Array
  readonly append: boolean
  readonly mode: number | null
}

/** The archive itself is `OperationControl.input`. */
export interface TreeImport {
  readonly kind: "tree.import"
  readonly path: string
  readonly as: "directory" | "file"
}

export interface CommandOutcome {
  readonly exitCode: number
  readonly stdout: CapturedStream
  readonly stderr: CapturedStream
  readonly ending: CommandEnding
}

/** The head and the tail of a stream; `omitted` bytes lay between them. */
export interface CapturedStream {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly omitted: number
}

export interface OperationResults {
  readonly "command.run": CommandOutcome
  readonly "file.read": Uint8Array
  readonly "file.write": null
  readonly "file.stat": FileStat
  readonly "file.list": readonly DirectoryEntry[]
  readonly "file.mkdir": null
  readonly "file.remove": null
  readonly "file.rename": null
  readonly "file.copy": null
  readonly "tree.export": ReadableStream<Uint8Array>
  readonly "tree.import": null
  readonly "port.connect": Connection
}

/** How a sandbox answers each kind of operation. */
export type OperationHandlers = {
  readonly [Kind in Operation["kind"]]: (
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ) => Promise<OperationResults[Kind]>
}

export interface OperationControl {
  /**
   * Aborting ends the work inside the sandbox before the promise rejects with the reason. A command that has begun
   * answers with `ending: { kind: "aborted" }` and its output instead.
   */
  readonly signal: AbortSignal
  /** Nothing more of that stream is read until a promise it returns resolves. */
  readonly onOutput: (chunk: OutputChunk) => void | Promise<void>
  /** Asked when the signal is aborted: how long a command may take to end before it is killed. */
  readonly graceMs?: (() => number) | undefined
  /**
   * A pipe of this machine, for a sandbox that can reach some: tree.export writes the archive there and
   * gives an empty stream at its end, tree.import reads it there.
   */
  readonly pipe?: string | undefined
  /** What an operation reads while it goes on. */
  readonly input?: ReadableStream<Uint8Array> | undefined
}
