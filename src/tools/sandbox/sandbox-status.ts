import { type InferSchema, object, ToolFailure } from "../../contract/index.ts"
import { badName, isSandboxName, type Pool, type SandboxStatus } from "../../sandbox/index.ts"

/** A sandbox of the pool in the words of the tools. */
export const sandboxFields = {
  image: { type: "string" },
  status: { enum: ["running", "sleeping"] },
  network: { enum: ["none", "allow-list", "full"] },
  sleep_after_ms: { type: "number" },
} as const

const sandboxSchema = object(sandboxFields)
type DescribedSandbox = InferSchema<typeof sandboxSchema>

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

interface MadeSandbox extends DescribedSandbox {
  readonly sandbox: string
  readonly created: boolean
  readonly from_sandbox?: string
}

/** One line for a sandbox that a call made or found. */
export function showSandbox(made: MadeSandbox): string {
  const from = made.from_sandbox === undefined ? "" : ` from ${made.from_sandbox}`
  const how = made.created ? `was created${from}` : "already existed"
  return `${made.sandbox} ${how}: ${showDescribed(made)}.`
}

export function showDescribed({
  image,
  status,
  network,
  sleep_after_ms,
}: DescribedSandbox): string {
  return `image ${image}, ${status}, network ${network}, sleeps after ${sleep_after_ms} ms`
}

/** Whether it may have files. The default one may be a directory of this machine, which has some before its first use. */
export function isKnown(sandboxes: Pool, name: string): boolean {
  return name === "default" || sandboxes.list().some((sandbox) => sandbox.name === name)
}

/** Refuses what can't name a sandbox, for the argument that says it. */
export function requireName(name: string, field: string): void {
  if (!isSandboxName(name)) throw badName(name, field)
}

/** Refuses the name of a sandbox that nobody has made, as in a transfer from one that has no files. */
export function requireKnown(sandboxes: Pool, name: string, field: string): void {
  const names = sandboxes.list().map((sandbox) => sandbox.name)
  if (names.includes(name)) return
  throw new ToolFailure({
    kind: "not_found",
    message: `There is no sandbox ${JSON.stringify(name)}.`,
    field,
    expected: names.length > 0 ? `one of ${names.join(", ")}` : "none was made yet",
  })
}
