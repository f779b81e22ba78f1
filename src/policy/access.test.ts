import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyConfig } from "../config/index.ts"
import { createPolicy, type Verdict } from "./index.ts"

interface Row {
  readonly what: string
  readonly profile?: { allow: string[]; deny?: string[] }
  readonly agent?: { toolPolicy?: string; allow?: string[]; deny?: string[] }
  readonly provider?: { allow?: string[]; deny?: string[] }
  readonly expected: string
}

const all = { allow: ["*"] }
const none = { allow: [] }
const noShell = { allow: ["*"], deny: ["group:runtime"] }

/** What becomes of shell.exec. */
const table: readonly Row[] = [
  { what: "the profile allows", profile: all, expected: "allow: profile own allows *" },
  {
    what: "no list of the profile has it",
    profile: { allow: ["file.*"] },
    expected: "deny: profile own does not allow shell.exec",
  },
  {
    what: "the profile denies what it allows",
    profile: { allow: ["shell.exec"], deny: ["*"] },
    expected: "deny: profile own denies *",
  },
  {
    what: "the agent lifts the profile's denial",
    profile: noShell,
    agent: { allow: ["shell.exec"] },
    expected: "allow: agent a allows shell.exec",
  },
  {
    what: "the agent lifts it for a family",
    profile: none,
    agent: { allow: ["shell.*"] },
    expected: "allow: agent a allows shell.*",
  },
  {
    what: "the agent lifts it for a group",
    profile: none,
    agent: { allow: ["group:runtime"] },
    expected: "allow: agent a allows group:runtime",
  },
  {
    what: "the agent names other tools",
    profile: noShell,
    agent: { allow: ["file.*"], deny: ["web.*"] },
    expected: "deny: profile own denies group:runtime",
  },
  {
    what: "the agent's * lifts nothing",
    profile: noShell,
    agent: { allow: ["*"] },
    expected: "deny: profile own denies group:runtime",
  },
  {
    what: "the agent's ** is a *",
    profile: noShell,
    agent: { allow: ["**"] },
    expected: "deny: profile own denies group:runtime",
  },
  {
    what: "the agent denies",
    profile: all,
    agent: { deny: ["shell.*"] },
    expected: "deny: agent a denies shell.*",
  },
  {
    what: "the agent denies everything",
    profile: all,
    agent: { deny: ["*"] },
    expected: "deny: agent a denies *",
  },
  {
    what: "the agent denies what it allows",
    profile: all,
    agent: { allow: ["shell.exec"], deny: ["shell.*"] },
    expected: "deny: agent a denies shell.*",
  },
  {
    what: "the agent has another profile",
    profile: none,
    agent: { toolPolicy: "full" },
    expected: "allow: profile full allows *",
  },
  {
    what: "the agent's profile is the stricter",
    profile: all,
    agent: { toolPolicy: "minimal" },
    expected: "deny: profile minimal does not allow shell.exec",
  },
  {
    what: "the agent's lists stand above its profile",
    profile: none,
    agent: { toolPolicy: "full", deny: ["shell.exec"] },
    expected: "deny: agent a denies shell.exec",
  },
  {
    what: "the provider denies what the agent allows",
    profile: all,
    agent: { allow: ["shell.exec"] },
    provider: { deny: ["group:runtime"] },
    expected: "deny: provider p denies group:runtime",
  },
  {
    what: "the provider allows what the agent denies",
    profile: all,
    agent: { deny: ["shell.exec"] },
    provider: { allow: ["shell.exec"] },
    expected: "allow: provider p allows shell.exec",
  },
  {
    what: "the provider's * lifts nothing",
    profile: noShell,
    provider: { allow: ["*"], deny: [] },
    expected: "deny: profile own denies group:runtime",
  },
  {
    what: "the provider denies what it allows",
    profile: none,
    provider: { allow: ["shell.exec"], deny: ["shell.exec"] },
    expected: "deny: provider p denies shell.exec",
  },
]

const tool = { name: "shell.exec", groups: [], effects: ["execute"] } as const
const asked = { tool, input: { command: "true" }, agent: "a", provider: "p" }

function configOf({ profile, agent, provider }: Omit<Row, "what" | "expected">): PolicyConfig {
  return {
    tools: { policy: "own", profiles: { own: profile ?? all } },
    ...(agent && { agents: { a: agent } }),
    ...(provider && { providers: { p: provider } }),
  }
}

function brief(verdict: Verdict): string {
  return `${verdict.kind}: ${verdict.rule.text}`
}

describe("levels of access", () => {
  it.each(table)("Y8.profile, Y8.deny, Y8.agent, Y8.provider: $what", ({ expected, ...row }) => {
    const policy = createPolicy(configOf(row))
    expect(brief(policy.judge(asked))).toBe(expected)
    expect(policy.shows(tool, asked)).toBe(expected.startsWith("allow"))
  })

  it("Y8: overrides are for the agent and the provider that they name", () => {
    const policy = createPolicy({
      tools: { policy: "coding" },
      agents: { trusted: { allow: ["shell.exec"] } },
      providers: { careful: { deny: ["*"] } },
    })
    expect(
      [
        {},
        { agent: "trusted" },
        { agent: "other" },
        { agent: "constructor" },
        { agent: "trusted", provider: "careful" },
        { agent: "trusted", provider: "__proto__" },
      ].map((caller) => policy.shows(tool, caller)),
    ).toEqual([false, true, false, false, false, true])
  })

  it("Y8.hooks, Y10: a denial answers with the rule, before any hook is heard", () => {
    const policy = createPolicy({ tools: { policy: "coding", hooks: { confirm: ["*"] } } })
    const remedy =
      "To allow it, set tools.policy to full in toolkeep.yaml, or start with --profile full."
    expect(policy.judge(asked)).toEqual({
      kind: "deny",
      rule: { source: "profile", text: "profile coding denies group:runtime", remedy },
      message: `Policy does not allow shell.exec: profile coding denies group:runtime. ${remedy}`,
    })
  })

  const patterns = fc.array(
    fc.constantFrom("*", "shell.*", "shell.exec", "group:runtime", "file.*", "web.fetch"),
    { maxLength: 3 },
  )
  const lists = fc.record({ allow: patterns, deny: patterns })
  const anyTool = fc
    .constantFrom("shell.exec", "shell.run", "file.read", "web.fetch", "system.info")
    .map((name) => ({ name, groups: [], effects: [] }))

  it("Y8: within one level deny beats allow, whatever the levels below say", () => {
    fc.assert(
      fc.property(lists, lists, lists, anyTool, (profile, agent, provider, one) => {
        const config = configOf({ profile, agent, provider })
        const policy = createPolicy(config)
        const everyone = { tool: one, input: {} }
        const namedBy = (texts: string[]) =>
          createPolicy({ tools: { policy: "x", profiles: { x: { allow: texts } } } }).shows(one)
        if (namedBy(profile.deny)) expect(policy.judge(everyone).kind).toBe("deny")
        if (namedBy(agent.deny)) {
          expect(policy.judge({ ...everyone, agent: "a" }).kind).toBe("deny")
        }
        if (namedBy(provider.deny)) {
          expect(policy.judge({ ...everyone, agent: "a", provider: "p" }).kind).toBe("deny")
        }
      }),
    )
  })

  it("Y8: a level that does not name a tool leaves it as it was", () => {
    fc.assert(
      fc.property(lists, anyTool, (profile, one) => {
        const others = { allow: ["*", "other.*"], deny: ["other.tool"] }
        const policy = createPolicy(configOf({ profile, agent: others, provider: others }))
        expect(policy.judge({ tool: one, input: {}, agent: "a", provider: "p" })).toEqual(
          policy.judge({ tool: one, input: {} }),
        )
      }),
    )
  })
})
