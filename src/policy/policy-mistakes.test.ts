import { describe, expect, it } from "vitest"
import { DefinitionError } from "../contract/index.ts"
import { parsePolicyYaml } from "./index.ts"

async function mistake(text: string): Promise<string> {
  const error = await parsePolicyYaml(text, "toolkeep.yaml").then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DefinitionError)
  return (error as DefinitionError).message
}

describe("mistakes in a policy file", () => {
  it.each([
    [
      "an unknown key",
      "tools:\n  profiles:\n    coding:\n      alow: []\n",
      'line 4: tools.profiles.coding.alow is not known here; did you mean "allow"?',
    ],
    [
      "an unknown section",
      "tools: {}\nservers: {}\n",
      "line 2: servers is not known here; what may stand here: tools, agents, providers, images, dialects, network, search, models, memory, browser, sandboxes, store, disk, limits, mcpServers, agent.",
    ],
    [
      "images in a list",
      "tools: {}\nimages:\n  - alpine.tar\n",
      "line 2: images must be a mapping.",
    ],
    [
      "an image that is no text",
      "images:\n  alpine: alpine.tar\n  debian: 12\n",
      "line 3: images.debian must be text.",
    ],
    [
      "an unknown section that is close",
      "provider:\n  a: {}\n",
      'line 1: provider is not known here; did you mean "providers"?',
    ],
    [
      "an unknown profile",
      "tools:\n  autonomy: standard\n  policy: codng\n",
      'line 3: tools.policy is "codng", which is not a profile; there are minimal, messaging, coding, full; did you mean "coding"?',
    ],
    [
      "an agent's unknown profile",
      "agents:\n  my-agent:\n    deny: []\n    toolPolicy: everything\n",
      'line 4: agents.my-agent.toolPolicy is "everything", which is not a profile; there are minimal, messaging, coding, full.',
    ],
    [
      "a bad regular expression",
      'tools:\n  rules:\n    - deny: shell.exec\n      when:\n        command: "("\n',
      "line 5: tools.rules[0].when.command is not a regular expression of the kind used here (RE2, without look-around and back-references): missing closing ): `(`.",
    ],
    [
      "a look-ahead",
      "tools:\n  rules:\n    - deny: shell.exec\n      when: { command: 'a(?!b)' }\n",
      "line 4: tools.rules[0].when.command is not a regular expression of the kind used here (RE2, without look-around and back-references): invalid or unsupported Perl syntax: `(?!`.",
    ],
    [
      "a rule that says two things",
      "tools:\n  rules:\n    - deny: a\n      when: { x: y }\n    - deny: a\n      ask: b\n      when: { x: y }\n",
      "line 5: tools.rules[1] must have exactly one of deny, ask, allow.",
    ],
    [
      "a rule without a condition",
      "tools:\n  rules:\n    - deny: shell.exec\n",
      "line 3: tools.rules[0].when is missing.",
    ],
    [
      "a profile without an allow list",
      "tools:\n  profiles:\n    safe:\n      deny: [shell.exec]\n",
      "line 3: tools.profiles.safe.allow is missing.",
    ],
    [
      "a word where a list belongs",
      "providers:\n  openai:\n    deny: shell.*\n",
      "line 3: providers.openai.deny must be a list.",
    ],
    [
      "a number where a name belongs",
      "providers:\n  openai:\n    deny:\n      - web.*\n      - 7\n",
      "line 5: providers.openai.deny[1] must be text.",
    ],
    [
      "a level that there is not",
      "tools:\n  autonomy: Standard\n",
      'line 2: tools.autonomy is "Standard", but must be one of conservative, standard, autonomous.',
    ],
    [
      "a section with nothing in it",
      "tools:\n  policy: full\nagents:\n",
      "line 3: agents has nothing in it; fill it in or remove it.",
    ],
    [
      "a misspelt group",
      "tools:\n  hooks:\n    confirm:\n      - group:runtme\n",
      'line 4: tools.hooks.confirm[0] names the group "runtme", which is not known; did you mean "group:runtime"?',
    ],
    ["a list", "- tools\n", 'line 1: the file must hold a mapping, such as "tools:".'],
    [
      "a key twice",
      "tools:\n  policy: coding\n  policy: full\n",
      'line 3: the key "policy" stands here twice.',
    ],
    [
      "an open bracket",
      "tools:\n  policy: [full\nagents: {}\n",
      "line 3: the YAML can't be read: Flow sequence in block collection must be sufficiently indented and end with a ].",
    ],
    [
      "a tab",
      "tools:\n\tpolicy: full\n",
      "line 2: the YAML can't be read: Tabs are not allowed as indentation.",
    ],
    [
      "a second document",
      "tools: {}\n---\ntools: { policy: full }\n",
      "line 2: the YAML can't be read: a second document starts here; keep one.",
    ],
    [
      "a tag",
      "tools:\n  policy: !secret full\n",
      "line 2: the YAML can't be read: a tag (!) means something else than it seems to; put the value in quotes.",
    ],
    [
      "Windows line ends and a byte order mark",
      "\ufefftools:\r\n  policy: full\r\n  autonomi: standard\r\n",
      'line 3: tools.autonomi is not known here; did you mean "autonomy"?',
    ],
    ["a key that is a list", "? [a, b]\n: 1\n", "line 1: a key must be text; put it in quotes."],
    [
      "a key that is a number",
      "agents:\n  1: {}\n  '1': {}\n",
      "line 2: a key must be text; put it in quotes.",
    ],
    [
      "a prototype's key",
      "agents:\n  __proto__: { toolPolicy: full }\n",
      'line 2: "__proto__" can\'t be a name here.',
    ],
    [
      "a merge",
      "agents:\n  a: &a { toolPolicy: full }\n  b:\n    <<: *a\n",
      "line 4: an alias (*) repeats another part; write it out, or put it in quotes.",
    ],
    [
      "an old YAML's merge",
      "%YAML 1.1\n---\ntools:\n  <<: { policy: full }\n",
      'line 4: tools."<<" is not known here; what may stand here: policy, profiles, groups, rules, hooks, autonomy.',
    ],
  ])("Y9: %s is one sentence with its line", async (_what, text, message) => {
    expect(await mistake(text)).toBe(`toolkeep.yaml, ${message}`)
  })

  it("Y9: an alias bomb is refused at its first alias", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    for (const [before, name] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"]) {
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`)
    }
    expect(await mistake(bomb.join("\n"))).toBe(
      "toolkeep.yaml, line 2: an alias (*) repeats another part; write it out, or put it in quotes.",
    )
  })

  it.each([
    ["brackets", "[".repeat(20_000)],
    ["closed brackets", "[".repeat(2_000) + "]".repeat(2_000)],
    ["braces", "{a: ".repeat(2_000)],
    ["indentation", Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("Y9: a file nested too deeply in %s is refused", async (_what, text) => {
    expect(await mistake(text)).toMatch(
      /^toolkeep\.yaml, line \d+: (the YAML can't be read: )?.*(nested too deeply|must|Expected).*\.$/,
    )
  })

  it("Y9: a huge file is refused unread", async () => {
    expect(await mistake(" ".repeat(262_145))).toBe(
      "toolkeep.yaml: the file has more than 262144 characters.",
    )
  })
})
