import { kubernetesRole } from "./rights.ts"

/**
 * Toolkeep itself in a cluster, with sandboxes as pods beside it, as a manifest for one namespace. It listens inside its pod
 * only, where `kubectl port-forward` leads to.
 */
export function kubernetesManifest(version: string): string {
  return `${account}---
${kubernetesRole()}---
${binding}---
${deployment(version)}`
}

const account = `apiVersion: v1
kind: ServiceAccount
metadata: { name: toolkeep }
`

const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: toolkeep }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: toolkeep }
subjects:
  - { kind: ServiceAccount, name: toolkeep }
`

const deployment = (version: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: toolkeep }
spec:
  replicas: 1
  strategy: { type: Recreate }
  selector: { matchLabels: { app: toolkeep } }
  template:
    metadata: { labels: { app: toolkeep } }
    spec:
      serviceAccountName: toolkeep
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: toolkeep
          # An image of your own, with both packages installed, starts without a registry.
          image: node:24-slim
          command: [sh, -c]
          args:
            - >-
              cd /work && npm install --no-audit --no-fund toolkeep@${version} @kubernetes/client-node@2 &&
              exec node_modules/.bin/toolkeep up --host kubernetes --port 8080
          env:
            - { name: HOME, value: /work }
            - { name: TOOLKEEP_HOME, value: /work/home }
            - { name: TOOLKEEP_IMAGE, value: "debian:stable-slim" }
            - { name: TOOLKEEP_KEEPER_IMAGE, value: "node:24-slim" }
            - { name: TOOLKEEP_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
          ports:
            - { name: http, containerPort: 8080 }
          resources:
            requests: { cpu: 100m, memory: 256Mi }
            limits: { memory: 1Gi }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: work, mountPath: /work }
            - { name: temporary, mountPath: /tmp }
      volumes:
        # What has to outlive the pod needs a volume of its own, or a store in PostgreSQL.
        - { name: work, emptyDir: {} }
        - { name: temporary, emptyDir: {} }
`
