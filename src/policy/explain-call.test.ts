import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyConfig } from "../config/index.ts"
import { createPolicy, type PolicyQuery } from "./index.ts"

const shell = { name: "shell.exec", groups: [], effects: ["execute"] } as const

const config: PolicyConfig = {
  tools: {
    policy: "coding",
    rules: [
      { deny: "shell.exec", when: { command: "sudo" }, because: "No one is root here." },
      { allow: "group:runtime", when: { command: "^ls" } },
    ],
    hooks: { confirm: ["shell.*"] },
  },
  agents: { builder: { allow: ["shell.*"] } },
  providers: { anthropic: { allow: ["*"] } },
}

const lines = (asked: Partial<PolicyQuery>) =>
  createPolicy(config)
    .explain({ tool: shell, ...asked })
    .steps.map(
      ({ stage, says, rule, decided }) =>
        `${decided ? "→ " : ""}${stage}: ${says} (${rule.source}: ${rule.text})`,
    )

describe("explain", () => {
  it("Y8.profile, Y8.deny, Y8.agent, Y8.provider, Y8.hooks: tells every stage in order and which one decided", () => {
    expect(lines({ input: { command: "npm i" }, agent: "builder", provider: "anthropic" })).toEqual(
      [
        "profile allow: allow (profile: profile coding allows *)",
        "profile deny: deny (profile: profile coding denies group:runtime)",
        "agent: allow (agent: agent builder allows shell.*)",
        "provider: nothing (provider: provider anthropic allows *, which names no tool and lifts no denial)",
        'arguments: nothing (argument: rule deny shell.exec when command matches "sudo")',
        'arguments: nothing (argument: rule allow group:runtime when command matches "^ls")',
        "→ hooks: ask (hook: hook confirm shell.*)",
        "autonomy: nothing (autonomy: autonomy standard)",
      ],
    )
  })

  it("Y8: says what was not reached", () => {
    expect(lines({ input: {} })).toEqual([
      "profile allow: allow (profile: profile coding allows *)",
      "→ profile deny: deny (profile: profile coding denies group:runtime)",
      "agent: nothing (agent: no agent is named)",
      "provider: nothing (provider: no provider is named)",
      "arguments: nothing (default: not reached)",
      "hooks: nothing (default: not reached)",
      "autonomy: nothing (default: not reached)",
    ])
    expect(
      lines({ input: { command: "sudo ls" }, agent: "builder", provider: "x" }).slice(2),
    ).toEqual([
      "agent: allow (agent: agent builder allows shell.*)",
      "provider: nothing (provider: provider x has no override)",
      '→ arguments: deny (argument: rule deny shell.exec when command matches "sudo")',
      'arguments: nothing (argument: rule allow group:runtime when command matches "^ls")',
      "hooks: nothing (default: not reached)",
      "autonomy: nothing (default: not reached)",
    ])
  })

  it("Y8: without arguments says that rules depend on them", () => {
    const explanation = createPolicy(config).explain({ tool: shell, agent: "builder" })
    expect(explanation.dependsOnArguments).toBe(true)
    expect(explanation.verdict.kind).toBe("ask")
    expect(explanation.steps.filter(({ stage }) => stage === "arguments")).toEqual([
      {
        stage: "arguments",
        says: "depends",
        rule: {
          source: "argument",
          text: 'rule deny shell.exec when command matches "sudo"',
          because: "No one is root here.",
        },
        decided: false,
      },
      {
        stage: "arguments",
        says: "depends",
        rule: {
          source: "argument",
          text: 'rule allow group:runtime when command matches "^ls"',
        },
        decided: false,
      },
    ])
  })

  const patterns = fc.array(fc.constantFrom("*", "shell.*", "file.read", "group:fs"), {
    maxLength: 2,
  })
  const lists = fc.record({ allow: patterns, deny: patterns })
  const levels = fc.constantFrom("conservative", "standard", "autonomous")
  const rules = fc.array(
    fc.oneof(
      ...(["deny", "ask", "allow"] as const).map((kind) =>
        fc.record({
          [kind]: fc.constantFrom("shell.exec", "group:fs", "*"),
          when: fc.constantFrom({ command: "a" }, { command: "b", path: "." }, { "list[]": "^$" }),
        }),
      ),
    ),
    { maxLength: 3 },
  )
  const configs = fc.record({
    tools: fc.record({
      policy: fc.constantFrom("own", "full", "coding", "minimal"),
      profiles: fc.record({ own: lists }),
      rules,
      hooks: fc.record({ confirm: patterns, log: patterns, silent: patterns }),
      autonomy: levels,
    }),
    agents: fc.record({ a: lists }),
    providers: fc.record({ p: lists }),
  })
  const asks = fc.record({
    tool: fc.record({
      name: fc.constantFrom("shell.exec", "file.read", "web.fetch"),
      groups: fc.constantFrom([], ["fs"]),
      effects: fc.constantFrom([], ["read"] as const, ["execute"] as const),
    }),
    input: fc.oneof(
      fc.record({ command: fc.constantFrom("a", "b", "ab", 1), path: fc.string() }),
      fc.record({ list: fc.array(fc.constantFrom("", "x")) }),
      fc.jsonValue(),
    ),
    agent: fc.constantFrom("a", undefined),
    provider: fc.constantFrom("p", undefined),
  })

  it("Y8, Y10, Y11: one step decides, and it is the one that judge names", () => {
    fc.assert(
      fc.property(configs, asks, (written, asked) => {
        const policy = createPolicy(written as PolicyConfig)
        const verdict = policy.judge(asked)
        const { steps, verdict: explained } = policy.explain(asked)
        expect(explained).toEqual(verdict)
        expect(steps.filter(({ decided }) => decided).map(({ rule }) => rule)).toEqual([
          verdict.rule,
        ])
        if (verdict.kind !== "deny") expect(policy.shows(asked.tool, asked)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it("Y8: judging is pure: the same answer again, and nothing given is changed", () => {
    fc.assert(
      fc.property(configs, fc.array(asks, { maxLength: 4 }), (written, questions) => {
        const before = structuredClone({ written, questions })
        const policy = createPolicy(written as PolicyConfig)
        const first = questions.map((asked) => policy.judge(asked))
        expect(questions.toReversed().map((asked) => policy.judge(asked))).toEqual(
          first.toReversed(),
        )
        expect({ written, questions }).toEqual(before)
      }),
      { numRuns: 500 },
    )
  })

  it("Y8: a change to the data after the policy is made changes nothing", () => {
    const written = {
      tools: { policy: "coding", profiles: { coding: { allow: ["*"], deny: ["shell.*"] } } },
    }
    const policy = createPolicy(written)
    written.tools.profiles.coding.deny.length = 0
    expect(policy.shows(shell)).toBe(false)
  })

  it.each([
    [
      "a field that throws",
      {
        get command() {
          throw new Error("boom")
        },
      },
    ],
    [
      "a cycle",
      (() => {
        const command: unknown[] = []
        command.push(command)
        return { command }
      })(),
    ],
    ["a big integer", { command: 1n }],
  ])("Y8: denies when judging fails: %s", (_what, input) => {
    const policy = createPolicy({
      tools: { policy: "full", rules: [{ deny: "shell.exec", when: { command: "x" } }] },
    })
    const verdict = policy.judge({ tool: shell, input })
    expect(verdict).toMatchObject({ kind: "deny", rule: { source: "default" } })
    expect(policy.explain({ tool: shell, input }).verdict).toEqual(verdict)
  })

  it("Y8: hides and denies a tool that is not one", () => {
    const policy = createPolicy({
      tools: { policy: "full" },
      agents: { a: { deny: ["group:fs"] } },
    })
    const broken = { name: undefined, groups: null } as unknown as PolicyQuery["tool"]
    expect(policy.shows(broken, { agent: "a" })).toBe(false)
    expect(policy.judge({ tool: broken, input: {}, agent: "a" }).kind).toBe("deny")
  })
})
