import { createId } from "../../../../kit/index.ts"

/** All that Toolkeep makes in a cluster has the first; the second names the Lease of the process that it belongs to. */
export const toolkeepLabel = "toolkeep.dev/sandbox"
export const ownerLabel = "toolkeep.dev/owner"

/** Names of the API: lower case, and short. */
export function objectName(kind: string): string {
  return `toolkeep-${createId(kind)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}`
}
