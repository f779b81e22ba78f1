import type { V1NetworkPolicy } from "@kubernetes/client-node"
import { toolkeepLabel } from "../owners/object-names.ts"

/** Says which pods the policy closes. */
export const networkLabel = "toolkeep.dev/network"
export type PodNetwork = "open" | "closed"

/** One for all sandboxes of a namespace: nothing gets into a closed pod or out of it. */
export const closedPolicy: V1NetworkPolicy = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "toolkeep-closed", labels: { [toolkeepLabel]: "true" } },
  spec: {
    podSelector: { matchLabels: { [networkLabel]: "closed" } },
    policyTypes: ["Ingress", "Egress"],
  },
}
