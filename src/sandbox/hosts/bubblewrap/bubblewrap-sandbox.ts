import type { Lender, LentPrograms } from "../../agent/commands/lend-programs.ts"
import { type AgentSandboxParts, createAgentSandbox } from "../../agent/create-agent-sandbox.ts"
import type { Sandbox } from "../../host/host.ts"
import { type InsideOptions, startInside } from "./start-agent.ts"

type BubblewrapParts = Omit<InsideOptions, "lent"> &
  Omit<AgentSandboxParts, "start" | "shown"> & { readonly lender: Lender }

export function createBubblewrapSandbox(parts: BubblewrapParts): Promise<Sandbox> {
  const { root, lender } = parts
  return createAgentSandbox({
    ...parts,
    shown: parts.mounts.map(({ target }) => target),
    start: (network) => {
      const start = (lent: LentPrograms | null) => startInside({ ...parts, lent }, network)
      // This machine's own programs are looked for before.
      return root.kind === "host" ? start(null) : lender.start(root.path, start)
    },
  })
}
