import { describe, expect, it } from "vitest"
import { createPolicy, parsePolicyYaml } from "./index.ts"

const read = (text: string) => parsePolicyYaml(text, "toolkeep.yaml")

const documentsExample = `tools:
  policy: 'coding' # Default profile
  profiles:
    coding:
      allow: ['*']
      deny: ['group:runtime']
# Per-agent overrides
agents:
  my-agent:
    toolPolicy: 'full'
# Per-provider overrides
providers:
  anthropic:
    allow: ['*']
    deny: []
`

const everything = `tools:
  policy: team
  profiles:
    team:
      allow: ["*"]
      deny: [group:deploy]
  groups:
    deploy: ["git.*", kubectl.apply]
  rules:
    - deny: shell.exec
      when: { command: '\\brm\\s+-rf\\b' }
      because: Use file.delete.
    - ask: file.edit
      when:
        "edits[].path": ^/etc/
  hooks:
    confirm: ["shell.*"]
    log: ["web.*"]
    silent: [web.search]
  autonomy: standard
agents:
  night-shift:
    toolPolicy: coding
    allow: [shell.exec]
    deny: ["web.*"]
    autonomy: autonomous
providers:
  openai: { deny: [memory.write] }
`

const shell = { name: "shell.exec", groups: [], effects: ["execute"] } as const

describe("parsePolicyYaml", () => {
  it("Y9: reads the document's own example, and its * for a provider lifts no denial", async () => {
    const { origin, ...file } = await read(documentsExample)
    expect(file).toEqual({
      tools: { policy: "coding", profiles: { coding: { allow: ["*"], deny: ["group:runtime"] } } },
      agents: { "my-agent": { toolPolicy: "full" } },
      providers: { anthropic: { allow: ["*"], deny: [] } },
    })
    const policy = createPolicy({ ...file, ...(origin && { origin }) })
    const at = (line: number) => ({ line, file: "toolkeep.yaml" })
    const judge = (caller: object) => policy.judge({ tool: shell, input: {}, ...caller })
    expect(judge({ provider: "anthropic" })).toEqual({
      kind: "deny",
      rule: { source: "profile", text: "profile coding denies group:runtime", ...at(6) },
      message: "Policy does not allow shell.exec: profile coding denies group:runtime.",
    })
    expect(judge({ agent: "my-agent", provider: "anthropic" })).toEqual({
      kind: "allow",
      log: false,
      rule: { source: "profile", text: "profile full allows *", ...at(10) },
    })
  })

  it("Y9, O24: the smallest change that decides otherwise is tried, and has its file and line", async () => {
    const policy = createPolicy(
      await parsePolicyYaml(
        [
          "tools:",
          "  policy: team",
          "  profiles:",
          "    team: { allow: ['*'], deny: [group:runtime, file.remove] }",
          "  rules:",
          "    - deny: file.write",
          "      when: { path: secret }",
          "  hooks: { confirm: [file.edit, 'memory.*'] }",
          "agents:",
          "  builder: { toolPolicy: full }",
        ].join("\n"),
        "rules.yaml",
      ),
    )
    const suggest = (name: string, more: object = {}) => {
      const tool = { name, groups: name.startsWith("shell") ? ["runtime"] : [], effects: [] }
      return policy.suggest?.({ tool, input: {}, ...more })
    }
    const at = (line: number) => ({ file: "rules.yaml", line })
    expect(suggest("file.remove")).toEqual({
      ...{ text: 'Remove "file.remove" from tools.profiles.team.deny', verdict: "allow", ...at(4) },
    })
    expect(suggest("shell.exec")).toEqual({
      ...{
        text: 'Remove "group:runtime" from tools.profiles.team.deny',
        verdict: "allow",
        ...at(4),
      },
    })
    expect(suggest("file.write", { input: { path: "secret/x" } })).toEqual({
      ...{ text: "Remove tools.rules[0]", verdict: "allow", ...at(6) },
    })
    expect(suggest("file.edit")).toEqual({
      ...{ text: 'Remove "file.edit" from tools.hooks.confirm', verdict: "allow", ...at(8) },
    })
    expect(suggest("memory.write")).toEqual({
      ...{ text: 'Add "memory.write" to tools.hooks.silent', verdict: "allow" },
    })
    expect(suggest("file.read", { agent: "builder" })).toEqual({
      ...{ text: 'Add "file.read" to tools.hooks.confirm', verdict: "ask", ...at(8) },
    })
    // A built-in profile has no lists to change.
    const builtIn = createPolicy({ tools: { policy: "messaging" } })
    expect(builtIn.suggest?.({ tool: shell, input: {} })).toEqual({
      ...{ text: "Set tools.policy to full", verdict: "allow" },
    })
  })

  it("Y9: one file says it all, and each rule knows its line", async () => {
    const policy = createPolicy(await read(everything))
    const line = (name: string, input: object, caller: object = {}) => {
      const tool = { name, groups: [], effects: [] }
      const { kind, rule } = policy.judge({ tool, input, ...caller })
      return [kind, rule.line]
    }
    expect([
      line("git.push", {}),
      line("file.read", {}),
      line("shell.exec", { command: "rm -rf /" }),
      line("file.edit", { edits: [{ path: "/etc/passwd" }] }),
      line("shell.exec", { command: "ls" }),
      line("web.fetch", {}),
      line("web.search", {}),
      line("shell.exec", { command: "ls" }, { agent: "night-shift" }),
      line("web.fetch", {}, { agent: "night-shift" }),
      line("process.start", {}, { agent: "night-shift" }),
      line("memory.write", {}, { provider: "openai" }),
    ]).toEqual([
      ["deny", 6],
      ["allow", 5],
      ["deny", 10],
      ["ask", 13],
      ["ask", 17],
      ["allow", 18],
      ["allow", 19],
      ["allow", 26],
      ["deny", 25],
      ["deny", 23],
      ["deny", 28],
    ])
  })

  it.each([
    "",
    "# nothing yet\n",
    "tools: {}\n",
    "mcpServers:\n  memory: { command: npx }\n",
    "agents:\n  reviewer: {}\n",
    "tools:\n  hooks: { log: [file.read] }\n",
    "network: {}\n",
  ])("Y9: %j takes no tool away, as no file at all takes none away", async (text) => {
    expect(createPolicy(await read(text)).judge({ tool: shell, input: {} })).toMatchObject({
      kind: "allow",
      rule: { text: "profile full allows *" },
    })
  })

  it.each([
    ["tools:\n  policy: coding\n", {}, "tools.policy", " (line 2), or start with --profile full"],
    ["agents:\n  a: { toolPolicy: coding }\n", { agent: "a" }, "agents.a.toolPolicy", " (line 2)"],
  ])(
    "Y6: the refusal of coding in %j says which line allows commands",
    async (text, caller, path, rest) => {
      const policy = createPolicy(await read(text))
      expect(policy.judge({ tool: shell, input: {}, ...caller })).toMatchObject({
        kind: "deny",
        message:
          "Policy does not allow shell.exec: profile coding denies group:runtime. " +
          `To allow it, set ${path} to full in toolkeep.yaml${rest}.`,
      })
    },
  )

  it("Y9: a name that JavaScript gives to every object is a name like any other", async () => {
    const policy = createPolicy(
      await read("tools: { policy: coding }\nagents:\n  constructor: { allow: [shell.exec] }\n"),
    )
    expect(policy.shows(shell, { agent: "constructor" })).toBe(true)
    expect(policy.shows(shell, { agent: "toString" })).toBe(false)
  })
})
