import { describe, expect, it } from "vitest"
import { openSpeaking } from "../../test/support/dialects/dialect-fixture.ts"
import { DefinitionError } from "../contract/index.ts"
import { memoryHost } from "../sandbox/index.ts"
import { parseDialectYaml } from "./open-dialect.ts"

const house = `
dialect: house
about: The words that we use.
answer: flynn
tools:
  run:
    tool: shell.exec
    description: Runs a command.
    arguments:
      cmd: { as: command, required: true }
      seconds: { as: timeout_ms, times: 1000, schema: { type: number, minimum: 1, default: 5 } }
      where: cwd
    result: { out: stdout, code: exit_code }
  names:
    tool: file.glob
    description: Lists files.
    with: { pattern: "**/*" }
    result: { files: files }
`

describe("a dialect in YAML", () => {
  it("is spoken like one of ours", async () => {
    await using speaking = await openSpeaking(memoryHost())
    const spoken = speaking.speak(await parseDialectYaml(house, "house.yaml"))
    expect(spoken.tools().map(({ name }) => name)).toEqual(["run", "names"])
    expect(await spoken.call("run", { cmd: "echo hi > a.txt; echo done" })).toEqual({
      success: true,
      output: '{"out":"done\\n","code":0}',
    })
    expect(await spoken.call("names")).toEqual({ success: true, output: '{"files":["a.txt"]}' })
  })

  const one = (text: string) => `dialect: x\ntools:\n  run:\n    description: Runs.\n${text}`
  const complete =
    "    tool: shell.exec\n    arguments:\n      cmd: { as: command, required: true }\n"
  it.each([
    ["a list", "- a", 'line 1: the file must hold a mapping, such as "dialect: house".'],
    ["no tools", "dialect: x\ntools: {}\n", "line 2: tools must not be empty."],
    ["no name", "tools: { a: {} }", "line 1: dialect is missing."],
    [
      "an unknown key",
      "dialect: x\ntoolz: {}\n",
      'line 2: toolz is not known here; did you mean "tools"?',
    ],
    [
      "an unknown form",
      "dialect: x\nanswer: xml\ntools: { a: {} }\n",
      "line 2: answer must be one of envelope, cloudflare, openrath, flynn.",
    ],
    [
      "an unknown tool",
      one("    tool: shell.exce\n"),
      'line 5: tools.run.tool is "shell.exce", which is not a canonical tool; did you mean "shell.exec"?',
    ],
    [
      "an argument that goes nowhere",
      one("    tool: shell.exec\n    arguments:\n      cmd: comand\n"),
      'line 7: tools.run.arguments.cmd.as is "comand", which shell.exec does not take; did you mean "command"?',
    ],
    [
      "an argument that is needed and comes from nowhere",
      one("    tool: shell.exec\n"),
      'line 3: tools.run must say where "command" of shell.exec comes from: a required argument, or with.',
    ],
    [
      "a field that the tool does not answer with",
      one(`${complete}    result: { out: stdot }\n`),
      'line 8: tools.run.result.out is "stdot", which is not a field; did you mean "stdout"?',
    ],
    [
      "a unit of nothing",
      one(`${complete}      t: { as: timeout_ms, times: 0 }\n`),
      "line 8: tools.run.arguments.t.times must be a number above 0.",
    ],
    [
      "a text that nothing uses",
      `dialect: x\ntexts: { timeot: late }\n${one(complete).slice(11)}`,
      'line 2: texts.timeot is not known here; did you mean "timeout"?',
    ],
    [
      "a home that is no absolute path",
      `dialect: x\nhome: agent\n${one(complete).slice(11)}`,
      'line 2: home must be an absolute path, such as "/home/agent".',
    ],
    [
      "a kind that the tool never answers with",
      one(`${complete}    refuses: { listin: no }\n`),
      "line 8: tools.run.refuses.listin is not a kind of its results; there are command, process.",
    ],
    [
      "a kind of failure that is none",
      one(`${complete}      t: { as: timeout_ms, refusal: late }\n`),
      "line 8: tools.run.arguments.t.refusal must be one of invalid_args, rejected,",
    ],
    [
      "a schema that is none",
      one(`${complete}      t: { as: timeout_ms, schema: { type: numbr } }\n`),
      "line 6: tools.run.arguments can't be shown to a model:",
    ],
  ])("%s is one sentence with its line", async (_what, text, message) => {
    const parsed = parseDialectYaml(text, "house.yaml")
    await expect(parsed).rejects.toThrow(DefinitionError)
    await expect(parsed).rejects.toThrow(`house.yaml, ${message}`)
  })
})
