import { type AgentSandboxParts, createAgentSandbox } from "../../agent/create-agent-sandbox.ts"
import type { Sandbox } from "../../host.ts"
import { type InsideOptions, startInside } from "./start-inside.ts"

type BubblewrapParts = InsideOptions & Omit<AgentSandboxParts, "start" | "shown">

export function createBubblewrapSandbox(parts: BubblewrapParts): Promise<Sandbox> {
  const shown = parts.mounts.map(({ target }) => target)
  return createAgentSandbox({ ...parts, shown, start: (network) => startInside(parts, network) })
}
