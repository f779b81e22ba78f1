import { describe, expect, it } from "vitest"
import { DefinitionError } from "../contract/index.ts"
import { parsePolicyYaml } from "./create-policy.ts"
import { builtInProfiles, createPolicy, policyOfProfile, withProfile } from "./index.ts"

const names = [
  "system.info",
  "memory.read",
  "memory.search",
  "file.read",
  "shell.exec",
  "process.start",
  "code.run",
  "web.fetch",
  "mcp:github:create_issue",
]

function shown(policy: ReturnType<typeof createPolicy>): string[] {
  return names.filter((name) => policy.shows({ name, groups: [], effects: [] }))
}

describe("profiles", () => {
  it("Y6.minimal, Y6.messaging, Y6.coding, Y6.full: are the document's own", () => {
    expect(builtInProfiles).toEqual({
      minimal: { allow: ["system.info"], deny: [] },
      messaging: {
        allow: ["system.info", "memory.read", "memory.write"],
        deny: ["shell.*", "file.*", "process.*"],
      },
      coding: { allow: ["*"], deny: ["group:runtime"] },
      full: { allow: ["*"], deny: [] },
    })
  })

  it.each([
    ["minimal", ["system.info"]],
    ["messaging", ["system.info", "memory.read"]],
    ["coding", names.filter((name) => !/^(shell|process|code)\./.test(name))],
    ["full", names],
  ])(
    "Y6.minimal, Y6.messaging, Y6.coding, Y6.full: %s shows what it allows and does not deny",
    (profile, expected) => {
      expect(shown(policyOfProfile(profile))).toEqual(expected)
    },
  )

  it("Y6.full: full is the default", () => {
    expect(shown(createPolicy({}))).toEqual(shown(policyOfProfile("full")))
  })

  it("Y6: a policy gives a built-in name other lists, and adds names of its own", () => {
    const profiles = {
      coding: { allow: ["*"], deny: ["process.*"] },
      reader: { allow: ["file.read", "group:memory"] },
    }
    expect(shown(createPolicy({ tools: { profiles, policy: "coding" } }))).toEqual(
      names.filter((name) => name !== "process.start"),
    )
    expect(shown(createPolicy({ tools: { profiles, policy: "reader" } }))).toEqual([
      "memory.read",
      "memory.search",
      "file.read",
    ])
  })

  it("Y6: an unknown profile is answered with those there are and the nearest", () => {
    expect(() => policyOfProfile("codng")).toThrow(
      new DefinitionError(
        '"codng" is not a profile; there are minimal, messaging, coding, full; did you mean "coding"?',
      ),
    )
    expect(() => policyOfProfile("constructor")).toThrow(
      '"constructor" is not a profile; there are minimal, messaging, coding, full.',
    )
    expect(() => createPolicy({ agents: { a: { toolPolicy: "ful" } } })).toThrow(
      'agents.a.toolPolicy is "ful", which is not a profile; there are minimal, messaging, coding, full; did you mean "full"?',
    )
  })

  it("Y6: a profile that nobody chose is checked all the same", () => {
    expect(() =>
      createPolicy({ tools: { profiles: { later: { allow: ["group:nope"] } } } }),
    ).toThrow(
      'tools.profiles.later.allow[0] names the group "nope", which is not known; define it under tools.groups, beside fs, runtime, web, memory.',
    )
  })

  it("Y6: another default profile is chosen over a file's, and stands in none of its lines", async () => {
    const file = await parsePolicyYaml("tools:\n  policy: coding\n  autonomy: standard\n", "t.yaml")
    const tool = { name: "shell.exec", groups: [], effects: [] }
    expect(createPolicy(file).judge({ tool, input: {} })).toMatchObject({
      kind: "deny",
      rule: { text: "profile coding denies group:runtime", line: 2 },
    })
    expect(createPolicy(withProfile(file, "full")).judge({ tool, input: {} })).toEqual({
      kind: "allow",
      log: false,
      rule: { source: "profile", text: "profile full allows *" },
    })
    expect(() => withProfile(file, "codng")).toThrow('"codng" is not a profile')
  })
})
