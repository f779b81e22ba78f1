import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { apiUrl, bearer } from "./configure.ts"
import { run } from "./parts.ts"

export const storageClass = "local"

/** Directories of the first node as volumes: each is claimed once. */
export function makeVolumes(directory: string, count: number): void {
  create("/apis/storage.k8s.io/v1/storageclasses", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: storageClass },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  })
  for (let number = 1; number <= count; number += 1) {
    const path = join(directory, "volumes", String(number))
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o755)
    create("/api/v1/persistentvolumes", volume(number, path))
  }
}

function volume(number: number, path: string): object {
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: ["node1"] }]
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume${number}` },
    spec: {
      capacity: { storage: "20Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: storageClass,
      persistentVolumeReclaimPolicy: "Retain",
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  }
}

function create(path: string, body: object): void {
  const json = "Content-Type: application/json"
  run("curl", "-skf", "-H", bearer, "-H", json, "-d", JSON.stringify(body), `${apiUrl}${path}`)
}
