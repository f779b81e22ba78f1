import type { Network, ProcessStatus } from "../../contract/index.ts"
import type { NetworkDecision } from "../network/decide-target.ts"

/** What happens to the sandboxes of a pool. */
export type PoolEvent = { readonly sandbox: string; readonly at: number } & SandboxChange

export type SandboxChange =
  | { readonly kind: "sandbox-created"; readonly image: string }
  /** It was made by a Toolkeep before this one; its files are there, these processes are not. */
  | { readonly kind: "sandbox-found"; readonly gone: readonly ProcessStatus[] }
  | { readonly kind: "sandbox-slept" }
  | { readonly kind: "sandbox-woke" }
  /** Another one has a copy of its files. */
  | { readonly kind: "sandbox-forked"; readonly to: string }
  /** Files of it were copied into another one. */
  | {
      readonly kind: "files-transferred"
      readonly path: string
      readonly to: string
      readonly toPath: string
      readonly bytes: number
    }
  | { readonly kind: "sandbox-destroyed" }
  | { readonly kind: "process-started"; readonly process: ProcessStatus }
  | { readonly kind: "process-ended"; readonly process: ProcessStatus }
  | { readonly kind: "network-changed"; readonly network: Network }
  | { readonly kind: "network-decided"; readonly decision: NetworkDecision }
  /** Nobody waits for what was tried here: it is tried again when there is a reason to. */
  | {
      readonly kind: "sandbox-failed"
      readonly doing: "sleep" | "remember" | "destroy"
      readonly error: unknown
    }

export type PoolListener = (event: PoolEvent) => void
