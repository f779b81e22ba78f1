import { type JsonSchema, ToolFailure } from "../../contract/index.ts"
import type { Pool, SandboxStatus } from "../../sandbox/index.ts"

/** A sandbox of the pool in the words of the tools. */
export interface DescribedSandbox {
  readonly image: string
  readonly status: SandboxStatus["status"]
  readonly network: SandboxStatus["network"]["kind"]
  readonly sleep_after_ms: number
}

export const describedProperties = {
  image: { type: "string" },
  status: { enum: ["running", "sleeping"] },
  network: { enum: ["none", "allow-list", "full"] },
  sleep_after_ms: { type: "number" },
} as const satisfies Readonly<Record<keyof DescribedSandbox, JsonSchema>>

/** The host's default image: that of a sandbox that was not used since the session was opened. */
export async function defaultImage({ host }: Pool): Promise<string> {
  const [first = ""] = await host.images()
  return first
}

export function describeSandbox(sandbox: SandboxStatus, fallbackImage: string): DescribedSandbox {
  return {
    image: sandbox.image || fallbackImage,
    status: sandbox.status,
    network: sandbox.network.kind,
    sleep_after_ms: sandbox.sleepAfterMs,
  }
}

/** One that was made just now; somebody else may have destroyed it since. */
export async function describeNew(sandboxes: Pool, sandbox: string): Promise<DescribedSandbox> {
  const status = sandboxes.list().find(({ name }) => name === sandbox)
  if (status) return describeSandbox(status, await defaultImage(sandboxes))
  const message = `The sandbox "${sandbox}" was destroyed meanwhile.`
  throw new ToolFailure({ kind: "unavailable", message })
}

/** One line for a sandbox that a call made or found. */
export function showSandbox(made: {
  readonly sandbox: string
  readonly image: string
  readonly created: boolean
}): string {
  return `${made.sandbox} (${made.image}) ${made.created ? "is made" : "is there already"}.`
}
