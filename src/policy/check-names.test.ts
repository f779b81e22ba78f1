import { describe, expect, it } from "vitest"
import type { PolicyConfig } from "../config/index.ts"
import { DefinitionError, defineTool, type JsonSchema } from "../contract/index.ts"
import { checkNames, parsePolicyYaml } from "./index.ts"

const text = { type: "string" } as const
const tool = (name: string, properties: Record<string, JsonSchema>, pathArguments: string[] = []) =>
  defineTool({
    name,
    description: "A tool.",
    input: { type: "object", properties, additionalProperties: false },
    pathArguments,
    run: () => null,
  })

const edits = {
  type: "array",
  items: { type: "object", properties: { search: text }, additionalProperties: false },
} as const
const tools = [
  tool("shell.exec", { command: text, cwd: text }, ["cwd"]),
  tool("file.edit", { path: text, edits }, ["path"]),
  tool("file.move", { from: text, to: text }, ["from", "to"]),
  tool("system.info", {}),
]

const otherWords = new Map([["bash", "shell.exec"]])
const check = (config: PolicyConfig, mayGrow = false) =>
  checkNames(config, { tools, own: mayGrow ? [] : undefined, otherWords, agentTools: ["task"] })
const rule = (deny: string, when: Record<string, string>) => ({
  tools: { rules: [{ deny, when }] },
})

describe("a name in a policy that no tool has", () => {
  it.each<[PolicyConfig, string]>([
    [
      rule("shel.exec", { command: "x" }),
      'tools.rules[0].deny is "shel.exec", which is not a tool; did you mean "shell.exec"?',
    ],
    [
      rule("shell_exec", { command: "x" }),
      'tools.rules[0].deny is "shell_exec", which is not a tool; did you mean "shell.exec"?',
    ],
    [
      rule("bash", { command: "x" }),
      'tools.rules[0].deny is "bash", a word of another vocabulary; did you mean "shell.exec"?',
    ],
    [
      rule("file.obliterate", { path: "x" }),
      'tools.rules[0].deny is "file.obliterate", which is not a tool; there are file.edit, file.move.',
    ],
    [
      { tools: { hooks: { confirm: ["*", "file.edti"] } } },
      'tools.hooks.confirm[1] is "file.edti", which is not a tool; did you mean "file.edit"?',
    ],
    [
      { tools: { profiles: { own: { allow: ["sytem.info"] } } } },
      'tools.profiles.own.allow[0] is "sytem.info", which is not a tool; did you mean "system.info"?',
    ],
    [
      { tools: { groups: { own: ["file.mvoe"] } } },
      'tools.groups.own[0] is "file.mvoe", which is not a tool; did you mean "file.move"?',
    ],
    [
      { agents: { a: { deny: ["shell.exce"] } } },
      'agents.a.deny[0] is "shell.exce", which is not a tool; did you mean "shell.exec"?',
    ],
    [
      { providers: { b: { allow: ["shell.exce"] } } },
      'providers.b.allow[0] is "shell.exce", which is not a tool; did you mean "shell.exec"?',
    ],
    [
      rule("File.*", { path: "x" }),
      'tools.rules[0].deny is "File.*", which matches no tool; did you mean "file.*"?',
    ],
  ])(
    "Y8, Y9: %j is an error with the one that was meant, also where a program brings tools",
    (config, message) => {
      for (const mayGrow of [false, true]) {
        expect(() => check(config, mayGrow)).toThrow(new DefinitionError(message))
      }
    },
  )

  it("Y8, Y9: is an error without one to suggest, too, but for a program's own tools", () => {
    const config = { tools: { hooks: { confirm: ["deploy"] } } }
    expect(() => check(config)).toThrow(
      'tools.hooks.confirm[0] is "deploy", which is not a tool; toolkeep tools lists those there are.',
    )
    expect(check(config, true)).toEqual([
      'tools.hooks.confirm[0] is "deploy", which is not a tool yet.',
    ])
  })

  it("Y8, Y9: is an error where it is a pattern that no later tool can match", () => {
    const hooks = (pattern: string) => ({ tools: { hooks: { confirm: [pattern] } } })
    expect(() => check(hooks("shel.*"))).toThrow(
      'tools.hooks.confirm[0] is "shel.*", which matches no tool; did you mean "shell.*"?',
    )
    expect(() => check(hooks("git.*"))).toThrow(
      'tools.hooks.confirm[0] is "git.*", which matches no tool; toolkeep tools lists those there are.',
    )
    expect(check(hooks("git.*"), true)).toEqual([
      'tools.hooks.confirm[0] is "git.*", which matches no tool that is known yet.',
    ])
  })

  it("Y8, Y9: is a warning where bridged tools may have it", () => {
    const confirm = [
      "*_delete",
      "mcp:tracker:*",
      "mcp:traker:*",
      "mcp:tracker:close",
      "mcp:*",
      "group:fs",
      "file.*",
    ]
    const config = { tools: { hooks: { confirm } }, mcpServers: { tracker: { command: "x" } } }
    expect(check(config)).toEqual([
      'tools.hooks.confirm[0] is "*_delete", which matches no tool that is known yet.',
      'tools.hooks.confirm[2] names the MCP server "traker", which is not under mcpServers; did you mean "tracker"?',
      'tools.hooks.confirm[3] names "mcp:tracker:close", which can\'t be checked before that MCP server has started.',
    ])
  })

  it("Y9: is named with its line", async () => {
    const config = await parsePolicyYaml(
      "tools:\n  rules:\n    - deny: shel.exec\n      when: { command: x }\n  hooks:\n    log:\n      - '*_delete'\n",
      "toolkeep.yaml",
    )
    expect(() => check(config)).toThrow(
      /^toolkeep\.yaml, line 3: tools\.rules\[0\]\.deny is "shel\.exec"/,
    )
    const { rules: _, ...rest } = config.tools ?? {}
    expect(check({ ...config, tools: rest })).toEqual([
      'toolkeep.yaml, line 7: tools.hooks.log[0] is "*_delete", which matches no tool that is known yet.',
    ])
  })
})

describe("an argument in a rule that no tool has which it is about", () => {
  it.each<[string, string, string]>([
    [
      "shell.exec",
      "comand",
      'tools.rules[0].when.comand is not an argument of shell.exec; did you mean "command"?',
    ],
    [
      "shell.*",
      "comand",
      'tools.rules[0].when.comand is not an argument of shell.*; did you mean "command"?',
    ],
    ["*", "comand", 'tools.rules[0].when.comand is not an argument of *; did you mean "command"?'],
    [
      "group:fs",
      "pth",
      'tools.rules[0].when.pth is not an argument of group:fs; did you mean "path"?',
    ],
    [
      "shell.exec",
      "options.cwd",
      'tools.rules[0].when."options.cwd" is not an argument of shell.exec; there are command, cwd, path.',
    ],
    [
      "file.edit",
      "edits.search",
      'tools.rules[0].when."edits.search" is not an argument of file.edit; did you mean "edits[].search"?',
    ],
    [
      "system.info",
      "path",
      "tools.rules[0].when.path is not an argument of system.info; there are none.",
    ],
  ])("Y8, Y9: %s when %s", (deny, field, message) => {
    expect(() => check(rule(deny, { [field]: "x" }))).toThrow(new DefinitionError(message))
  })

  it("Y8: but not one that some of them have, nor every path of one", () => {
    for (const [deny, field] of [
      ["*", "command"],
      ["file.edit", "edits[].search"],
      ["file.move", "path"],
      ["shell.exec", "path"],
      ["mcp:tracker:close", "anything"],
    ] as const) {
      expect(
        check({ ...rule(deny, { [field]: "x" }), mcpServers: { tracker: { command: "x" } } })
          .length,
      ).toBe(deny.startsWith("mcp:") ? 1 : 0)
    }
    expect(() => check(rule("file.*", { anything: "x" }))).toThrow(
      "tools.rules[0].when.anything is not an argument of file.*; there are path, edits, edits[].search, from, to.",
    )
    expect(check(rule("file.*", { anything: "x" }), true)).toHaveLength(1)
    expect(check(rule("*", { anything: "x" }))).toEqual([
      "tools.rules[0].when.anything is not an argument of *; there are command, cwd, path, edits, edits[].search, from, to.",
    ])
  })
})

it("Y9: names the tools of an agent's session, in rules and in limits, and refuses a limit on a tool that is not there", () => {
  expect(check({ agents: { main: { deny: ["task"] } } })).toEqual([])
  expect(check({ agent: { limits: { calls_of: { task: 5, "shell.exec": 1 } } } })).toEqual([])
  const roles = { critic: { description: "Judges.", limits: { calls_of: { "shel.exec": 1 } } } }
  expect(() => check({ agent: { roles } })).toThrow('did you mean "shell.exec"?')
})
