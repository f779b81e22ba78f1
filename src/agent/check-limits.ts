import type { FailureDetails } from "../contract/index.ts"
import { callsOfTool, type RunLimits, type Spent } from "./entries.ts"
import { agentLimits } from "./limits.ts"
import type { ModelCall, Usage } from "./messages.ts"

/** What tokens cost, per million. */
export interface Prices {
  readonly input: number
  readonly output: number
  /** Of input that the provider's cache had; as other input when absent. */
  readonly cached?: number | undefined
}

/** The limit that a run has reached, in words; null while it may go on. */
export function reachedLimit(limits: RunLimits, spent: Spent, elapsedMs: number): string | null {
  const { rounds = agentLimits.rounds, tokens, cost, milliseconds } = limits
  if (spent.rounds >= rounds) return `${rounds} rounds`
  if (tokens !== undefined && spent.tokens >= tokens) return `${tokens} tokens`
  if (cost !== undefined && spent.cost >= cost) return `a cost of ${cost}`
  if (milliseconds !== undefined && elapsedMs >= milliseconds) return `${milliseconds} ms`
  return null
}

/** What is left of the limits for a child, whose use counts as its parent's. */
export function remainingLimits(limits: RunLimits, spent: Spent, elapsedMs: number): RunLimits {
  const { rounds = agentLimits.rounds, calls = agentLimits.calls, callsOf = {} } = limits
  const { commandsPerTurn = agentLimits.commandsPerTurn } = limits
  const left = (most: number | undefined, used: number) =>
    most === undefined ? undefined : Math.max(0, most - used)
  return {
    ...limits,
    rounds: Math.max(0, rounds - spent.rounds),
    calls: Math.max(0, calls - spent.calls),
    callsOf: Object.fromEntries(
      Object.entries(callsOf).map(([tool, most]) => [
        tool,
        Math.max(0, most - callsOfTool(spent.callsOf, tool)),
      ]),
    ),
    commandsPerTurn: Math.max(0, commandsPerTurn - spent.commands),
    tokens: left(limits.tokens, spent.tokens),
    cost: left(limits.cost, spent.cost),
    milliseconds: left(limits.milliseconds, elapsedMs),
  }
}

/** Those of a role, where they are stricter than what is left. */
export function stricterLimits(left: RunLimits, role: RunLimits = {}): RunLimits {
  const least = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
  const tools = new Set([...Object.keys(left.callsOf ?? {}), ...Object.keys(role.callsOf ?? {})])
  const callsOf = [...tools].flatMap((tool): [string, number][] => {
    const most = least(left.callsOf?.[tool], role.callsOf?.[tool])
    return most === undefined ? [] : [[tool, most]]
  })
  return {
    rounds: least(left.rounds, role.rounds),
    calls: least(left.calls, role.calls),
    callsOf: Object.fromEntries(callsOf),
    commandsPerTurn: least(left.commandsPerTurn, role.commandsPerTurn),
    tokens: least(left.tokens, role.tokens),
    cost: least(left.cost, role.cost),
    milliseconds: least(left.milliseconds, role.milliseconds),
  }
}

/** Counts the calls of a round; says why one is over a limit. */
export function countCalls(
  limits: RunLimits,
  spent: Spent,
  isCommand: (tool: string) => boolean,
): { readonly refuse: (call: ModelCall) => FailureDetails | null; readonly spent: () => Spent } {
  let { calls, commands } = spent
  let { callsOf } = spent
  const { calls: most = agentLimits.calls, commandsPerTurn = agentLimits.commandsPerTurn } = limits
  return {
    refuse({ tool }) {
      calls += 1
      const name = nameIn(limits, tool)
      const count = callsOfTool(callsOf, name) + 1
      // The record repeats this with each message; what no tool can be called is not counted by its name.
      if (name.length <= longestName) callsOf = withCount(callsOf, name, count)
      const mostOf = Object.hasOwn(limits.callsOf ?? {}, name) ? limits.callsOf?.[name] : undefined
      if (isCommand(tool)) commands += 1
      if (commands > commandsPerTurn) {
        return overLimit(`The command limit of this turn (${commandsPerTurn}) is reached.`)
      }
      if (calls > most) return overLimit(`The call limit of this run (${most}) is reached.`)
      if (mostOf === undefined || count <= mostOf) return null
      return overLimit(`The call limit of this run for ${name} (${mostOf}) is reached.`)
    },
    spent: () => ({ ...spent, calls, callsOf, commands }),
  }
}

const longestName = 200

function withCount(callsOf: Spent["callsOf"], tool: string, count: number): Spent["callsOf"] {
  return Object.fromEntries([...Object.entries(callsOf), [tool, count]])
}

/** Limits name tools in the canonical words, models as providers accept them. */
function nameIn({ callsOf = {} }: RunLimits, tool: string): string {
  const spelled = (name: string) => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")
  return Object.keys(callsOf).find((name) => name === tool || spelled(name) === tool) ?? tool
}

function overLimit(message: string): FailureDetails {
  return { kind: "rejected", message: `${message} Finish with what you have.` }
}

/** What a run has used with one more answer of its model. */
export function addUsage(spent: Spent, usage: Usage, prices: Prices | undefined): Spent {
  return {
    ...spent,
    rounds: spent.rounds + 1,
    tokens: spent.tokens + usage.input + usage.output,
    cost: spent.cost + costOf(usage, prices),
  }
}

function costOf({ input, output, cached }: Usage, prices: Prices | undefined): number {
  if (!prices) return 0
  const fresh = Math.max(0, input - cached)
  const { cached: cachedPrice = prices.input } = prices
  return (fresh * prices.input + cached * cachedPrice + output * prices.output) / 1_000_000
}
