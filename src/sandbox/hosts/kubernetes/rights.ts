/** What Toolkeep does with one kind of object of its namespace. */
export interface Right {
  /** The API group; "" for the oldest one. */
  readonly group: string
  readonly resource: string
  readonly verbs: readonly string[]
}

const podRights: readonly Right[] = [
  { group: "", resource: "pods", verbs: ["create", "delete", "get", "list", "patch"] },
  // A WebSocket to a program is "get" up to version 1.30 of Kubernetes, and "create" later.
  { group: "", resource: "pods/exec", verbs: ["create", "get"] },
  // Says to other Toolkeeps that this one lives.
  {
    group: "coordination.k8s.io",
    resource: "leases",
    verbs: ["create", "delete", "list", "update"],
  },
]

/** Where it is tried whether the cluster enforces that pods are closed. */
const networkRights: readonly Right[] = [
  { group: "networking.k8s.io", resource: "networkpolicies", verbs: ["create", "get"] },
]

/** Where homes have volumes of their own. */
const claimRights: readonly Right[] = [
  { group: "", resource: "persistentvolumeclaims", verbs: ["create", "delete", "list"] },
]

export function neededRights(hasClaims: boolean): readonly Right[] {
  return hasClaims ? [...podRights, ...claimRights] : podRights
}

/** All that Toolkeep may ever need, as a manifest for one namespace. Nothing is of the whole cluster. */
export function kubernetesRole(): string {
  const rules = [...neededRights(true), ...networkRights].map(
    ({ group, resource, verbs }) =>
      `  - { apiGroups: [${group || '""'}], resources: [${resource}], verbs: [${verbs.join(", ")}] }\n`,
  )
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: toolkeep }
rules:
${rules.join("")}`
}
