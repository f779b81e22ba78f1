import type { Autonomy, ConfigPath, HooksConfig } from "../config/index.ts"
import type { Groups } from "./groups.ts"
import { compileList } from "./name-pattern.ts"
import { createRule, type JudgedTool, type Rule } from "./verdict.ts"

/** What happens before an allowed tool runs. */
export type Action = "confirm" | "log" | "silent"

export interface HookOpinion {
  readonly action: Action
  readonly rule: Rule
  /** Whether a hook named the tool. */
  readonly named: boolean
}

export type Hooks = (tool: JudgedTool) => HookOpinion

/** The strictest first. */
const actions: readonly Action[] = ["confirm", "log", "silent"]

const noHook: HookOpinion = {
  action: "silent",
  rule: createRule("default", "no hook names it"),
  named: false,
}

/** The most specific pattern counts; of equally specific ones the stricter. */
export function compileHooks(config: HooksConfig, groups: Groups, path: ConfigPath): Hooks {
  const entries = actions
    .flatMap((action) =>
      compileList(config[action] ?? [], path.at(action), {
        groups,
        source: "hook",
        says: `hook ${action}`,
      }).map((entry) => ({ ...entry, action })),
    )
    // The sort keeps the order of equals, and so the stricter one in front.
    .sort((a, b) => b.pattern.specificity - a.pattern.specificity)
  return (tool) => {
    const entry = entries.find(({ pattern }) => pattern.matches(tool))
    return entry ? { action: entry.action, rule: entry.rule, named: true } : noHook
  }
}

/** Joins what the hooks say with how far an agent may go by itself. */
export function applyAutonomy(level: Autonomy, action: Action, tool: JudgedTool): Action {
  switch (level) {
    case "conservative":
      return tool.effects.some((effect) => effect !== "read") ? "confirm" : action
    case "standard":
      return action
    case "autonomous":
      return action === "confirm" ? "log" : action
    default:
      return level satisfies never
  }
}
