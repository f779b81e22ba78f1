import { chmodSync, chownSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { markOwned } from "../../abandoned.ts"
import { type AgentSandboxParts, createAgentSandbox } from "../../agent/create-agent-sandbox.ts"
import type { Sandbox } from "../../host.ts"
import { type InsideOptions, startInside } from "./start-inside.ts"

type BubblewrapParts = Omit<InsideOptions, "home"> & Omit<AgentSandboxParts, "start">

export function createBubblewrapSandbox(parts: BubblewrapParts): Promise<Sandbox> {
  const { user, directory } = parts
  const home = join(directory, "home")
  mkdirSync(home, { recursive: true, mode: 0o755 })
  markOwned(directory)
  // Other users of this machine may walk to it, and not into it.
  chmodSync(home, 0o700)
  if (user !== null) chownSync(home, user, user)
  return createAgentSandbox({ ...parts, start: () => startInside({ ...parts, home }) })
}
