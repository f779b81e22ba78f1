import type { AgentOptions, RunLimits } from "../../agent/index.ts"
import type { PolicyConfig } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { type Arguments, UsageError } from "../flags/command.ts"

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

/** The model's id, from the flag or an earlier run in the session, the environment, or toolkeep.yaml. */
export function findModel(given: Arguments, policy: string | PolicyConfig): string | undefined {
  const configured = typeof policy === "string" ? undefined : policy.agent?.model
  return given.text("model") ?? (process.env.TOOLKEEP_MODEL?.trim() || configured)
}

export function chooseModel(given: Arguments, policy: string | PolicyConfig): string {
  const model = findModel(given, policy)
  if (model !== undefined) return model
  throw new ToolFailure({
    kind: "unavailable",
    message:
      "No model is chosen: run `export TOOLKEEP_MODEL=anthropic/claude-sonnet-4-5`, give --model, or set agent.model in toolkeep.yaml.",
    retryable: false,
  })
}
