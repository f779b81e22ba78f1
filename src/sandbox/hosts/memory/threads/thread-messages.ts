import type { OutputChunk } from "../../../../contract/index.ts"
import type { DiskCalls } from "../disk/disk-calls.ts"

/** What a thread is started with. */
export interface ThreadData {
  /** One number: not 0 asks the running script to stop. Shared, so that a busy loop sees it too. */
  readonly stop: Int32Array<SharedArrayBuffer>
  readonly memoryBytes: number
}

export type ToThread =
  | { readonly kind: "run"; readonly script: Script }
  /** Wakes a sleeping script so that it sees the stop number. */
  | { readonly kind: "wake" }
  | { readonly kind: "disk-answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "disk-refusal"; readonly id: number; readonly message: string }

export type FromThread =
  /** Once, when scripts can run. */
  | { readonly kind: "ready" }
  | DiskRequest
  | ({ readonly kind: "output" } & OutputChunk)
  | { readonly kind: "ended"; readonly end: ScriptEnd; readonly heapBytes: number }

export interface DiskRequest {
  readonly kind: "disk-request"
  readonly id: number
  readonly call: keyof DiskCalls
  readonly parameters: readonly unknown[]
}

export interface Script {
  readonly command: string | readonly [name: string, ...parameters: string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Uint8Array
}

/** How a script came to its end by itself. */
export type ScriptEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "failed"; readonly message: string }
