import { type FailureDetails, type Tool, ToolFailure } from "../../contract/index.ts"
import type { Caller, Explanation, Grants, Policy, PolicyChange } from "../../policy/index.ts"
import type { Pool } from "../../sandbox/index.ts"

/** A call that is not made. */
export interface ImaginedCall extends Caller {
  readonly tool: string
  /** Without it, rules on arguments are only named. */
  readonly input?: unknown
  readonly sandbox?: string | undefined
  /** Whether to look for a change of the policy that would decide otherwise, which takes a while. */
  readonly suggest?: boolean | undefined
}

/** What would happen to a call before it runs. */
export interface CallExplanation {
  readonly tool: string
  /** What would run after repairs; null without an input. */
  readonly checked:
    | { readonly ok: true; readonly input: unknown; readonly repairs: readonly string[] }
    | { readonly ok: false; readonly failure: FailureDetails }
    | null
  /** Null where the input is refused before the policy is asked. */
  readonly explanation: Explanation | null
  /** The smallest change of the policy that would decide otherwise; null where none is known, or was looked for. */
  readonly change: PolicyChange | null
}

interface ExplainDeps {
  readonly policy: Policy
  readonly pool: Pool
  readonly grants: Grants
  /** Registers the tool where it comes later, and finds it. */
  readonly find: (name: string) => Promise<Tool | undefined>
}

/** As a call is checked and judged, without anything being run, asked or recorded. */
export function createExplain({ policy, pool, grants, find }: ExplainDeps) {
  return async (call: ImaginedCall): Promise<CallExplanation> => {
    const { tool: name, agent, provider, input } = call
    const tool = await find(name)
    if (!tool) {
      const message = `There is no tool ${JSON.stringify(name.slice(0, 200))}.`
      throw new ToolFailure({ kind: "tool_not_found", message })
    }
    const checked = input === undefined ? null : tool.check(input)
    if (checked && !checked.ok) {
      return {
        tool: tool.name,
        checked: { ok: false, failure: checked.failure },
        explanation: null,
        change: null,
      }
    }
    const value = checked?.value
    const chosen = value === undefined ? undefined : tool.sandbox(value as never)
    const sandbox = chosen ?? call.sandbox ?? "default"
    const home = pool.host.can.home ?? (await pool.workspace(sandbox)).cwd
    const query = { tool, agent, provider, input: value, sandbox, start: { home } }
    const explanation = policy.explain({ ...query, grants: await grants.list() })
    return {
      tool: tool.name,
      checked: checked && { ok: true, input: value, repairs: checked.notes },
      explanation,
      change: call.suggest ? (policy.suggest?.(query) ?? null) : null,
    }
  }
}
