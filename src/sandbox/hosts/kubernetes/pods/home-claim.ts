import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node"
import type { OwnDirectory } from "../../../agent/directory/sandbox-directory.ts"
import { objectName, ownerLabel, toolkeepLabel } from "../owners/object-names.ts"

/** A name that no other machine gives to a claim of the same namespace. */
export function claimOf({ path }: OwnDirectory): string {
  const file = join(path, "volume")
  if (!existsSync(file)) writeFileSync(file, objectName("home"), { mode: 0o600 })
  return readFileSync(file, "utf8")
}

interface ClaimSpec {
  readonly diskBytes: number
  readonly storageClass: string | null
  /** The Lease of the process that it goes with; null for one that is kept, which nobody but its own Toolkeep removes. */
  readonly owner: string | null
}

export function claimSettings(name: string, spec: ClaimSpec): V1PersistentVolumeClaim {
  const { owner } = spec
  const labels = { [toolkeepLabel]: "true", ...(owner !== null && { [ownerLabel]: owner }) }
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, labels },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(spec.storageClass !== null && { storageClassName: spec.storageClass }),
      resources: { requests: { storage: String(spec.diskBytes) } },
    },
  }
}
