import type { PolicyConfig } from "../../config/index.ts"
import { nearest, suggest } from "../../kit/index.ts"
import { checkNames, unknownNames } from "../../policy/index.ts"
import { agentToolNames, catalogue } from "../../tools/index.ts"
import type { Terminal } from "../output/terminal.ts"
import { type Arguments, UsageError } from "./command.ts"

/** Refuses names in a policy that mean nothing, and tells those that may come to mean something. */
export async function checkPolicy(
  policy: string | PolicyConfig,
  terminal: Pick<Terminal, "note">,
): Promise<void> {
  if (typeof policy === "string") return
  const tools = catalogue()
  const hasUnknown = unknownNames(policy, tools).length > 0
  const otherWords = hasUnknown ? await wordsOfDialects() : new Map<string, string>()
  const warnings = checkNames(policy, { tools, otherWords, agentTools: agentToolNames })
  for (const warning of warnings) terminal.note(`toolkeep: warning: ${warning}\n`)
}

/** What the vocabularies that Toolkeep brings call a tool: rules use the canonical names. */
async function wordsOfDialects(): Promise<ReadonlyMap<string, string>> {
  const { builtInDialect, dialectNames } = await import("../../dialects/index.ts")
  const tables = await Promise.all(dialectNames.map(builtInDialect))
  const words = tables.flatMap((table) =>
    Object.entries(table?.tools ?? {}).map(([word, { tool }]) => {
      const [canonical = ""] = typeof tool === "string" ? [tool] : Object.values(tool.of)
      return [word, canonical] as const
    }),
  )
  return new Map(words)
}

/** Refuses an --agent that none of the policy's agents is, and a --provider that looks like one of its own. */
export function requireCaller(given: Arguments, policy: string | PolicyConfig): void {
  if (typeof policy === "string") return
  const agents = Object.keys(policy.agents ?? {})
  const providers = Object.keys(policy.providers ?? {})
  const [agent, provider] = [given.text("agent"), given.text("provider")]
  if (agent !== undefined && agents.length > 0 && !agents.includes(agent)) {
    throw new UsageError(unknown("agent", agent, agents))
  }
  // Most providers have no rules of their own.
  if (provider === undefined || providers.includes(provider)) return
  if (nearest(provider, providers)) throw new UsageError(unknown("provider", provider, providers))
}

function unknown(what: string, name: string, names: readonly string[]): string {
  return `the configuration has no ${what} ${JSON.stringify(name)}; ${suggest(name, names)}`
}
