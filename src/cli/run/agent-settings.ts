import type { AgentOptions, RunLimits } from "../../agent/index.ts"
import type { PolicyConfig } from "../../config/index.ts"
import { UsageError } from "../flags/command.ts"

type Configured = NonNullable<PolicyConfig["agent"]>
type ConfiguredLimits = NonNullable<Configured["limits"]>

/** What toolkeep.yaml says about the agent. */
export function agentSettings(
  policy: string | PolicyConfig,
): Pick<AgentOptions, "contextTokens" | "prices" | "limits" | "roles"> {
  const {
    context_tokens: contextTokens,
    prices,
    limits,
    roles = {},
  } = typeof policy === "string" ? {} : (policy.agent ?? {})
  const named = Object.entries(roles).map(([name, role]) => {
    return [name, { ...role, limits: role.limits && runLimits(role.limits) }] as const
  })
  return {
    ...{ contextTokens, prices, limits: limits && runLimits(limits) },
    roles: Object.fromEntries(named),
  }
}

function runLimits(configured: ConfiguredLimits): RunLimits {
  const { calls_of: callsOf, commands_per_turn: commandsPerTurn, seconds, ...same } = configured
  const milliseconds = seconds === undefined ? undefined : seconds * 1000
  return { ...same, callsOf, commandsPerTurn, milliseconds }
}

/** A limit that nothing is counted for would never be reached. */
export function requirePrices(
  { prices, limits, roles = {} }: ReturnType<typeof agentSettings>,
  given: RunLimits = {},
): void {
  const all = [given, limits, ...Object.values(roles).map((role) => role.limits)]
  if (prices || all.every((one) => one?.cost === undefined)) return
  throw new UsageError(
    "a limit on the cost needs prices: set agent.prices in toolkeep.yaml, such as prices: { input: 3, output: 15 }.",
  )
}
