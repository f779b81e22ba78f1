import { describe, expect, it } from "vitest"
import type { PolicyConfig, RuleConfig } from "../config/index.ts"
import { createPolicy } from "./index.ts"

const shell = { name: "shell.exec", groups: [], effects: ["execute"] } as const
const edit = { name: "file.edit", groups: [], effects: ["write"] } as const

function withRules(rules: readonly RuleConfig[], more: PolicyConfig["tools"] = {}) {
  return createPolicy({ tools: { policy: "full", ...more, rules } })
}

function decide(rule: RuleConfig, input: unknown, tool: typeof shell | typeof edit = shell) {
  return withRules([rule]).judge({ tool, input }).kind
}

describe("rules on arguments", () => {
  it("Y8: deny a call whose arguments match, naming the rule and the reason", () => {
    const policy = withRules([
      { deny: "shell.exec", when: { command: "\\brm\\s+-rf\\b" }, because: "Use file.delete." },
    ])
    expect(policy.judge({ tool: shell, input: { command: "cd /; rm  -rf *" } })).toEqual({
      kind: "deny",
      rule: {
        source: "argument",
        text: 'rule deny shell.exec when command matches "\\\\brm\\\\s+-rf\\\\b"',
        because: "Use file.delete.",
      },
      message:
        "Policy does not allow shell.exec with these arguments: " +
        'rule deny shell.exec when command matches "\\\\brm\\\\s+-rf\\\\b". Use file.delete.',
    })
    expect(policy.judge({ tool: shell, input: { command: "ls" } }).kind).toBe("allow")
  })

  it("Y8: ask a person, whatever the autonomy", () => {
    const policy = withRules([{ ask: "shell.*", when: { command: "git push" } }], {
      autonomy: "autonomous",
    })
    expect(policy.judge({ tool: shell, input: { command: "git push" } })).toEqual({
      kind: "ask",
      rule: { source: "argument", text: 'rule ask shell.* when command matches "git push"' },
      prompt: 'May shell.exec run? (rule ask shell.* when command matches "git push")',
    })
  })

  it("Y8: allow what a hook would ask about, and write it down", () => {
    const policy = withRules([{ allow: "shell.exec", when: { command: "^npm test$" } }], {
      hooks: { confirm: ["shell.*"] },
    })
    const judge = (command: string) => policy.judge({ tool: shell, input: { command } })
    expect(judge("npm test")).toEqual({
      kind: "allow",
      log: true,
      rule: { source: "argument", text: 'rule allow shell.exec when command matches "^npm test$"' },
    })
    expect(judge("npm test\n").kind).toBe("ask")
    expect(judge("npm test; id").kind).toBe("ask")
  })

  it("Y8: an allowing rule lifts no denial by name", () => {
    const policy = createPolicy({
      tools: { policy: "coding", rules: [{ allow: "shell.exec", when: { command: "." } }] },
    })
    expect(policy.judge({ tool: shell, input: { command: "ls" } }).kind).toBe("deny")
    expect(policy.shows(shell)).toBe(false)
  })

  it("Y8: deny counts before ask and ask before allow, in whatever order they are written", () => {
    const rule = (kind: "deny" | "ask" | "allow", command: string) =>
      ({ [kind]: "shell.exec", when: { command } }) as unknown as RuleConfig
    const policy = withRules([rule("allow", "a"), rule("ask", "b"), rule("deny", "c")], {
      hooks: { confirm: ["*"] },
    })
    expect(
      ["a", "ab", "abc", "bc", "b"].map(
        (command) => policy.judge({ tool: shell, input: { command } }).kind,
      ),
    ).toEqual(["allow", "ask", "deny", "deny", "ask"])
  })

  it("Y8: all fields of a rule must match", () => {
    const rule = { deny: "shell.exec", when: { command: "^rm", cwd: "^/srv" } }
    expect(decide(rule, { command: "rm x", cwd: "/srv/a" })).toBe("deny")
    expect(decide(rule, { command: "rm x", cwd: "/tmp" })).toBe("allow")
    expect(decide(rule, { command: "rm x" })).toBe("allow")
  })

  it.each([
    ["options.cwd", { options: { cwd: "/etc" } }, true],
    ["options.cwd", { "options.cwd": "/etc" }, false],
    ["edits[].path", { edits: [{ path: "a" }, { path: "/etc/x" }] }, true],
    ["edits[].path", { edits: [{ path: "a" }, {}, null, "/etc"] }, false],
    ["edits[].path", { edits: { path: "/etc" } }, false],
    ["rows[][].path", { rows: [[{ path: "a" }], [{ path: "/etc" }]] }, true],
    ["list", { list: ["x", "/etc"] }, true],
    ["list[]", { list: ["x", "/etc"] }, true],
    ["timeout", { timeout: "/etc" }, true],
    ["missing", { other: "/etc" }, false],
    ["command", null, false],
    ["command", "/etc", false],
    ["command", { command: undefined }, false],
  ])("Y8: %s of %j is found: %s", (field, input, found) => {
    const rule = { deny: "shell.exec", when: { [field]: "/etc" } }
    expect(decide(JSON.parse(JSON.stringify(rule)), input)).toBe(found ? "deny" : "allow")
  })

  it.each(["constructor.name", "__proto__", "toString"])(
    "Y8: %s, which every object inherits, is no argument",
    (field) => {
      expect(decide({ deny: "shell.exec", when: Object.fromEntries([[field, "^"]]) }, {})).toBe(
        "allow",
      )
    },
  )

  it("Y8: tests what is no text as its JSON, with sorted keys", () => {
    const when = (value: string) => ({ deny: "shell.exec", when: { value } })
    expect(decide(when("^30000$"), { value: 30000 })).toBe("deny")
    expect(decide(when("^null$"), { value: null })).toBe("deny")
    expect(decide(when('^\\{"a":1,"b":\\[true\\]\\}$'), { value: { b: [true], a: 1 } })).toBe(
      "deny",
    )
  })

  it("Y8: one entry is enough to deny, and every entry must be good to allow", () => {
    const input = { edits: [{ path: "src/a" }, { path: "/etc/passwd" }] }
    expect(decide({ deny: "file.*", when: { "edits[].path": "^/" } }, input, edit)).toBe("deny")
    const policy = withRules([{ allow: "file.edit", when: { "edits[].path": "^src/" } }], {
      hooks: { confirm: ["file.edit"] },
    })
    expect(policy.judge({ tool: edit, input }).kind).toBe("ask")
    expect(policy.judge({ tool: edit, input: { edits: [] } }).kind).toBe("ask")
    expect(policy.judge({ tool: edit, input: { edits: [{ path: "src/a" }] } }).kind).toBe("allow")
  })

  it("Y8: a crowd of short entries can't hide the last one", () => {
    const input = { list: [...Array<string>(300_000).fill(""), "/etc"] }
    const policy = withRules([{ deny: "shell.exec", when: { "list[]": "^/etc/?$|(x?y?){8}z" } }])
    expect(policy.judge({ tool: shell, input }).kind).toBe("deny")
  })

  it.each(["", ".a", "a..b", "a.", "[]", "a[0]", "a[].", "a]b", "a[b]"])(
    "Y9: refuses %j as a field",
    (field) => {
      expect(() => withRules([{ deny: "shell.exec", when: { [field]: "x" } }])).toThrow(
        'is not a field of the arguments; write "command", "options.cwd" or "edits[].path".',
      )
    },
  )
})
