import { ToolFailure, type Workspace } from "../contract/index.ts"
import { createWorkspace } from "./create-workspace.ts"
import type { Host, Sandbox } from "./host.ts"

/** The named sandboxes of one session, made on first use. */
export interface Pool extends AsyncDisposable {
  readonly host: Host
  workspace(name?: string): Promise<Workspace>
  destroy(): Promise<void>
}

const namePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/

export function isSandboxName(name: string): boolean {
  return namePattern.test(name)
}

export function createPool(host: Host): Pool {
  const sandboxes = new Map<string, Promise<Sandbox>>()
  let destroyed = false

  async function workspace(name = "default"): Promise<Workspace> {
    if (destroyed) throw new ToolFailure({ kind: "unavailable", message: "The session is closed." })
    if (!isSandboxName(name)) throw badName(name)
    let sandbox = sandboxes.get(name)
    if (!sandbox) {
      sandbox = host.create({ name })
      sandboxes.set(name, sandbox)
      // A sandbox that could not be made is tried again on the next use.
      sandbox.catch(() => sandboxes.delete(name))
    }
    return createWorkspace(await sandbox)
  }

  async function destroy(): Promise<void> {
    destroyed = true
    const made = await Promise.allSettled(sandboxes.values())
    sandboxes.clear()
    await Promise.all(made.map((one) => one.status === "fulfilled" && one.value.destroy()))
  }

  return { host, workspace, destroy, [Symbol.asyncDispose]: destroy }
}

function badName(name: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(name.slice(0, 70))} can't name a sandbox.`,
    field: "sandbox",
    expected: 'lower-case letters, digits, "-" and "_", such as "build"; at most 63',
  })
}
