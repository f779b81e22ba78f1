/** How a bridged server is, for people. */
export interface ServerStatus {
  readonly server: string
  readonly state: ServerState
  /** What was left out of its list, as a sentence. */
  readonly problem: string | null
  readonly tools: readonly ToolStatus[]
}

export type ServerState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "crashed"; readonly why: string; readonly restartAtMs: number }
  /** A person has to log in, or to log in again. */
  | { readonly kind: "needs login"; readonly why: string }
  | { readonly kind: "closed" }

export interface ToolStatus {
  /** As a model calls it. */
  readonly name: string
  /** As its server calls it. */
  readonly tool: string
  readonly state: ToolState
}

export type ToolState =
  | { readonly kind: "ready" }
  /** Its definition, which this is, is another one than was seen first. */
  | { readonly kind: "held"; readonly why: string; readonly definition: object }
  | { readonly kind: "left out"; readonly why: string }
