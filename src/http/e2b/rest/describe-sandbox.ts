import type { Capabilities } from "../../../contract/index.ts"
import type { StoredSandbox } from "../../sandbox-api/stored-sandboxes.ts"

/** The version of E2B's daemon whose API this is. Its clients ask for nothing that came later. */
export const envdVersion = "0.6.4"

/** The template that E2B's clients name when they name none. */
export const baseTemplate = "base"

/** Later than any timeout: the time at which a sandbox ends that does not. */
const never = Date.UTC(9999, 0)

/** What this API stores with a sandbox. */
export interface E2bDetails {
  readonly template: string
  /** Whether it wakes by itself when it is used. */
  readonly resumes: boolean
}

export function detailsOf({ details }: StoredSandbox): E2bDetails {
  return { template: String(details.template), resumes: details.resumes === true }
}

export function describeSandbox(sandbox: StoredSandbox, { limits }: Capabilities) {
  const { id, createdMs, expiresMs, isPaused, metadata, pausesAtEnd = false } = sandbox
  const { template, resumes } = detailsOf(sandbox)
  return {
    ...{ sandboxID: id, templateID: template, clientID: "toolkeep", envdVersion, metadata },
    startedAt: new Date(createdMs).toISOString(),
    endAt: new Date(expiresMs ?? never).toISOString(),
    state: isPaused ? "paused" : "running",
    // The host's limits; 1 where it has none, for clients take it as a number of something.
    cpuCount: Math.max(1, Math.floor(limits.processors ?? 1)),
    memoryMB: mebibytes(limits.memoryBytes),
    diskSizeMB: mebibytes(limits.diskBytes),
    lifecycle: { onTimeout: pausesAtEnd ? "pause" : "kill", autoResume: resumes },
    volumeMounts: [],
  }
}

function mebibytes(bytes: number | null): number {
  return bytes === null ? 0 : Math.floor(bytes / 1024 ** 2)
}
