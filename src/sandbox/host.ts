import type { Capabilities } from "../contract/index.ts"
import type { Operation, OperationControl, OperationResults } from "./operation.ts"

/** A kind of sandbox. */
export interface Host {
  readonly name: string
  /** What every sandbox of this host can do. */
  readonly can: Capabilities
  /** One sentence for a person who chooses a host. */
  readonly summary: string
  /** Does it work on this machine? */
  probe(): Promise<HostStatus>
  create(spec: SandboxSpec): Promise<Sandbox>
}

export type HostStatus =
  | { readonly kind: "ready" }
  | { readonly kind: "unavailable"; readonly reason: string; readonly remedy: string }

export interface SandboxSpec {
  readonly name: string
}

/** A workspace's other side, with a life. Only the pool holds it. */
export interface Sandbox {
  readonly name: string
  readonly can: Capabilities
  /** Where a workspace starts, absolute. */
  readonly home: string
  /** The directories that file tools may use, absolute. */
  readonly roots: readonly string[]
  perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]>
  /** Ends everything inside and frees what it held. Safe to call twice. */
  destroy(): Promise<void>
}
