import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "../../contract/index.ts"
import { replaceFile } from "../../node/index.ts"

/** What the conformance suite has found about a host on this machine. */
export interface HostProof {
  /** Toolkeep's version then. */
  readonly version: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly checks: readonly ProvedPromise[]
}

export interface ProvedPromise {
  readonly id: string
  readonly promise: string
  /** Null where the host does not promise it. */
  readonly kept: boolean | null
  readonly how: string
}

/** Stores the proof of one of Toolkeep's own hosts, in place of an older one. */
export async function saveProof(home: string, host: string, proof: HostProof): Promise<void> {
  await replaceFile(fileOf(home, host), `${JSON.stringify(proof)}\n`)
}

/** Null where nobody has proved it here. */
export function readProof(home: string, host: string): HostProof | null {
  try {
    const proof: unknown = JSON.parse(readFileSync(fileOf(home, host), "utf8"))
    return isObject(proof) && Array.isArray(proof.checks) ? (proof as unknown as HostProof) : null
  } catch {
    return null
  }
}

function fileOf(home: string, host: string): string {
  return join(home, "proofs", `${host}.json`)
}
