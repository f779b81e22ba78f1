import type { SandboxSpec } from "../../host/host.ts"
import { type Dialer, systemDialer } from "../../network/dialer.ts"
import { carryNode } from "../../programs/inject-node.ts"
import type { SandboxNetworkParts } from "./sandbox-network.ts"

export interface NetworkPlaces {
  readonly user: number | null
  /** On this machine: what sandboxes see as /run/toolkeep-bin. */
  readonly programs: string
  readonly dialer: Dialer | undefined
}

/** What a sandbox's network is made of, by what was asked for. */
export function networkParts(spec: SandboxSpec, places: NetworkPlaces): SandboxNetworkParts {
  const { user, programs, dialer = systemDialer } = places
  return {
    user,
    dialer,
    network: spec.network ?? { kind: "none" },
    onDecision: spec.onNetwork ?? (() => {}),
    carry: () => carryNode(programs),
  }
}
