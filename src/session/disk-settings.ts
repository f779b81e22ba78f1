import type { PolicyConfig } from "../policy/index.ts"

/** What may be taken of the disk, beside each sandbox's own limit. The usual when absent. */
export interface DiskSettings {
  /** By one session: its sandboxes, their temporary files while they sleep, its snapshots and its artifacts. */
  readonly sessionBytes?: number | undefined
  /** By all that one Toolkeep keeps on this machine. */
  readonly totalBytes?: number | undefined
}

/** As toolkeep.yaml says it. */
export function diskSettings(policy: string | PolicyConfig | undefined): DiskSettings {
  if (typeof policy !== "object") return {}
  const { session_bytes, total_bytes } = policy.disk ?? {}
  return { sessionBytes: session_bytes, totalBytes: total_bytes }
}
