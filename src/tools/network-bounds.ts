import type { Settings } from "../config/index.ts"
import type { NetworkBound } from "../sandbox/index.ts"

/** What the settings say about sandboxes: those are no way around what web and browser tools may reach. */
export function networkBounds({ network }: Settings): readonly NetworkBound[] {
  const source = "network.reach in toolkeep.yaml (in a program, its settings)"
  if (network?.reach === "none") return [{ network: { kind: "none" }, source }]
  if (network?.reach !== "allow-list") return []
  return [{ network: { kind: "allow-list", domains: network.allow ?? [] }, source }]
}
