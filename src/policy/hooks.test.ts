import { describe, expect, it } from "vitest"
import type { Autonomy, PolicyConfig } from "../config/index.ts"
import type { Effect } from "../contract/index.ts"
import { createPolicy } from "./index.ts"

type Hooks = NonNullable<NonNullable<PolicyConfig["tools"]>["hooks"]>

function outcome(hooks: Hooks, autonomy: Autonomy, effects: readonly Effect[] = ["execute"]) {
  const policy = createPolicy({ tools: { policy: "full", hooks, autonomy } })
  const tool = { name: "shell.exec", groups: [], effects }
  const verdict = policy.judge({ tool, input: {} })
  if (verdict.kind === "allow") return `${verdict.log ? "log" : "silent"}: ${verdict.rule.text}`
  return `${verdict.kind}: ${verdict.rule.text}`
}

describe("hooks and autonomy", () => {
  const confirm = { confirm: ["shell.*"] }
  const log = { log: ["shell.*"] }
  const silent = { silent: ["shell.*"] }
  it.each<[string, Hooks, Autonomy, readonly Effect[], string]>([
    ["no hook", {}, "standard", ["execute"], "silent: profile full allows *"],
    ["silent", silent, "standard", ["execute"], "silent: hook silent shell.*"],
    ["log", log, "standard", ["execute"], "log: hook log shell.*"],
    ["confirm", confirm, "standard", ["execute"], "ask: hook confirm shell.*"],
    ["no hook", {}, "conservative", ["execute"], "ask: autonomy conservative"],
    ["no hook", {}, "conservative", ["read", "network"], "ask: autonomy conservative"],
    ["silent", silent, "conservative", ["write"], "ask: autonomy conservative"],
    ["log", log, "conservative", ["network"], "ask: autonomy conservative"],
    ["confirm", confirm, "conservative", ["execute"], "ask: hook confirm shell.*"],
    ["no hook", {}, "conservative", ["read"], "silent: profile full allows *"],
    ["log", log, "conservative", ["read"], "log: hook log shell.*"],
    ["no hook", {}, "autonomous", ["execute"], "silent: profile full allows *"],
    ["silent", silent, "autonomous", ["execute"], "silent: hook silent shell.*"],
    ["log", log, "autonomous", ["execute"], "log: hook log shell.*"],
    ["confirm", confirm, "autonomous", ["execute"], "log: autonomy autonomous"],
  ])(
    "Y11.hooks, Y11.autonomy: %s %j at %s with effects %j",
    (_name, hooks, autonomy, effects, expected) => {
      expect(outcome(hooks, autonomy, effects)).toBe(expected)
    },
  )

  it.each<[Hooks, string]>([
    [{ confirm: ["*"], silent: ["shell.*"] }, "silent: hook silent shell.*"],
    [{ confirm: ["shell.*"], silent: ["shell.exec"] }, "silent: hook silent shell.exec"],
    [{ confirm: ["group:runtime"], log: ["shell.*"] }, "log: hook log shell.*"],
    [{ silent: ["*"], log: ["group:runtime"] }, "log: hook log group:runtime"],
    [{ confirm: ["shell.*"], log: ["shell.e*"] }, "log: hook log shell.e*"],
    [{ silent: ["shell.*"], log: ["*.exec"] }, "silent: hook silent shell.*"],
    [{ silent: ["shell.*"], log: ["shell*."] }, "silent: hook silent shell.*"],
    [{ silent: ["shell.exec"], confirm: ["shell.exec"] }, "ask: hook confirm shell.exec"],
    [{ silent: ["shell.exec"], log: ["shell.exec"] }, "log: hook log shell.exec"],
    [{ silent: ["she*xec"], log: ["shell*c"] }, "log: hook log shell*c"],
  ])("Y11.hooks: of %j the most specific counts, then the strictest", (hooks, expected) => {
    expect(outcome(hooks, "standard")).toBe(expected)
  })

  it("Y11.autonomy: the default level is standard, and an agent may have its own", () => {
    const tool = { name: "shell.exec", groups: [], effects: ["execute"] } as const
    const policy = createPolicy({
      tools: { policy: "full", hooks: { log: ["shell.exec"] } },
      agents: { intern: { autonomy: "conservative" }, other: {} },
    })
    const judge = (agent?: string) => policy.judge({ tool, input: {}, agent })
    const logged = {
      kind: "allow",
      log: true,
      rule: { source: "hook", text: "hook log shell.exec" },
    }
    expect(judge()).toEqual(logged)
    expect(judge("other")).toEqual(logged)
    expect(judge("intern")).toEqual({
      kind: "ask",
      rule: { source: "autonomy", text: "autonomy conservative of agent intern" },
      prompt: "May shell.exec run? (autonomy conservative of agent intern)",
    })
  })
})
