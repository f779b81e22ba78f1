import { type AgentSandboxParts, createAgentSandbox } from "../../agent/create-agent-sandbox.ts"
import type { Sandbox } from "../../host.ts"
import { type InsideOptions, startInside } from "./start-inside.ts"

type BubblewrapParts = InsideOptions & Omit<AgentSandboxParts, "start">

export function createBubblewrapSandbox(parts: BubblewrapParts): Promise<Sandbox> {
  return createAgentSandbox({ ...parts, start: (network) => startInside(parts, network) })
}
