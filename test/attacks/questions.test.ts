import { readFile } from "node:fs/promises"
import { setTimeout as wait } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { defineTool, limits } from "../../src/contract/index.ts"
import { createPolicy } from "../../src/policy/index.ts"
import { createRuntime } from "../../src/runtime/index.ts"
import { generations, openMcpFixture } from "../support/mcp/mcp-fixture.ts"

const anyInput = {
  type: "object",
  additionalProperties: { description: "Any value." },
} as const
const policy = { tools: { policy: "full", hooks: { confirm: ["test.*"] } } } as const

/** What a person is asked before a tool gets this. */
async function questionFor(input: unknown, more: { title?: string } = {}): Promise<string> {
  const tool = defineTool({
    name: "test.run",
    description: "Runs.",
    input: anyInput,
    run: () => "ran",
    ...more,
  })
  let question = ""
  const runtime = createRuntime({
    tools: [tool],
    policy: createPolicy(policy),
    approve: async (request) => {
      question = request.question
      return { kind: "approved", fingerprint: request.fingerprint }
    },
  })
  const envelope = await runtime.call({ tool: "test.run", input })
  return envelope.ok ? question : `${envelope.kind}: ${envelope.message}`
}

/** Everything that nobody sees, or that moves what they see, as ranges of code points. */
const hidden: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xe000, 0xe010],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
  [0xf0000, 0xf0010],
]

describe("a question to a person", () => {
  it("Y11: shows every character that can't be seen as its mark, in arguments, their names and the tool's title", async () => {
    const codes = hidden.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    for (let start = 0; start < codes.length; start += 200) {
      const some = codes.slice(start, start + 200)
      const text = some.map((code) => `${String.fromCodePoint(code)}-`).join("")
      const question = await questionFor({ text, [`k${text}`]: 1 })
      for (const code of some) {
        expect(question).not.toContain(`${String.fromCodePoint(code)}-`)
        const mark = `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>-`
        expect(question.replaceAll(/"\n\| +"/g, "")).toContain(mark)
      }
      expect(question).toMatch(/^[ -~\n]+$/)
    }
    const title = "Harmless\n| \u202e\n\nTool: file.read"
    expect(await questionFor({}, { title })).toContain(
      'Tool: test.run, "Harmless\\n| <U+202E>\\n\\nTool: file.read"',
    )
  })

  it("Y11: has one meaning: nothing in an argument looks like a mark, another argument or a line about the call", async () => {
    const question = await questionFor({
      a: "<U+202E> and <40 spaces>",
      b: 'x"\n| "c": "nothing"\n\nTool: file.read\nSandbox: none',
      c: "\\n",
    })
    expect(question.split("\n")).toEqual([
      expect.stringMatching(/^May test\.run run\?/),
      'Tool: test.run, "Test run"',
      "Sandbox: none",
      expect.stringMatching(/^Arguments, in 9 lines that begin with "\|"/),
      "| object of 3 entries",
      '|   "a": "<U+003C>U+202E> and <U+003C>40 spaces>"',
      '|   "b": text of 5 lines, 50 characters',
      '|     1 "x\\"\\n"',
      '|     2 "| \\"c\\": \\"nothing\\"\\n"',
      '|     3 "\\n"',
      '|     4 "Tool: file.read\\n"',
      '|     5 "Sandbox: none"',
      '|   "c": "\\\\n"',
      "These were the arguments of test.run.",
    ])
  })

  it("Y11: is not pushed out of sight by empty lines, spaces or one long line", async () => {
    const command = `ls${"\n".repeat(5000)}rm -rf x${" ".repeat(9000)}; rm y; ${"#".repeat(300)}; rm z`
    const question = await questionFor({ command })
    const lines = question.split("\n")
    expect(lines.length).toBeLessThan(25)
    expect(Math.max(...lines.slice(4).map((line) => line.length))).toBeLessThan(100)
    expect(question).toContain('"command": text of 5,001 lines, 14,')
    expect(question).toContain('2 to 5000, each "\\n"')
    expect(question).toContain('5001 "rm -rf x<9000 spaces>; rm y; #')
    expect(question).toMatch(/; rm z"$/m)
  })

  it("Y11: is refused where it could not be shown: what is not JSON, and what nobody could read", async () => {
    for (const value of [new Date(0), new Map([["a", 1]]), 7n, Number.NaN, [1, undefined]]) {
      expect(await questionFor({ list: [{ value }] })).toMatch(
        /^rejected: .* can't be shown the arguments: they hold a value that is not JSON \(\w+\)/,
      )
    }
    expect(await questionFor({ text: "x".repeat(limits.question.characters) })).toMatch(
      /^rejected: .* can't be shown the arguments: they are more than 1,048,576 characters/,
    )
    expect(await questionFor({ text: "\u0000".repeat(limits.question.characters / 4) })).toMatch(
      /^rejected: /,
    )
  })
})

for (const generation of generations) {
  it(`Y11, Y14: over MCP (${generation.generation}) a long question says what it is made of and names a resource with all of it, while it is asked`, async () => {
    const run = defineTool({
      name: "test.run",
      description: "Runs.",
      input: anyInput,
      run: () => "ran",
    })
    await using ground = await openMcpFixture({ policy, tools: () => [run] })
    const client = await ground.connect(generation, { capabilities: { elicitation: {} } })
    const text = Array.from({ length: 4_000 }, (_, line) => `line ${line}\u202e\n`).join("")
    let seen = ""
    let whole = ""
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      seen = params.message
      const [uri = ""] = /toolkeep:\/\/artifact\/\S+/.exec(seen) ?? []
      const [file = ""] = /(?<=file )\/\S+\.txt/.exec(seen) ?? []
      const { contents } = await client.readResource({ uri })
      whole = String(Object(contents[0]).text)
      expect(await readFile(file, "utf8")).toBe(whole)
      return { action: "accept", content: {} }
    })
    const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, key) => [`k${key}`, key]))
    const input = { text, hidden: "rm -rf x", wide }
    expect(await client.callTool({ name: "test_run", arguments: input })).toMatchObject({
      isError: false,
    })
    expect(seen.length).toBeLessThanOrEqual(limits.question.messageCharacters)
    expect(seen).toContain('"text": text of 4,000 lines')
    expect(seen).toContain('"hidden": "rm -rf x"')
    expect(seen).toMatch(/\(\d,\d{3} lines of this text, not shown here\)/)
    expect(seen).toContain('"wide": object of 3,000 entries')
    const lines = new Set(whole.split("\n"))
    const expected = text
      .split("\n")
      .slice(0, -1)
      .map((_, line) => `|     ${line + 1} "line ${line}<U+202E>\\n"`)
    expect(expected.filter((line) => !lines.has(line))).toEqual([])
    expect(
      Object.keys(wide).filter((key) => !lines.has(`|     "${key}": ${key.slice(1)}`)),
    ).toEqual([])
    expect(whole).not.toContain("\u202e")
    // Nothing of it is left when it is answered.
    while ((await ground.session.artifacts.list()).length > 0) await wait(5)
  })
}
