import { describe, expect, it } from "vitest"
import { defineTool, type Tool } from "../../contract/index.ts"
import { catalogue } from "../catalogue.ts"
import { toolSearchLimits } from "../limits.ts"
import { indexTools } from "./tool-index.ts"

const tool = (name: string, description: string, parameters: Record<string, string> = {}): Tool =>
  defineTool({
    name,
    description,
    input: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(parameters).map(([key, about]) => [
          key,
          { type: "string", description: about },
        ]),
      ),
      additionalProperties: false,
    },
    run() {},
  })

const names = (tools: readonly Tool[]) => tools.map(({ name }) => name)
const canonical = indexTools(catalogue())
const found = (query: string, most = 3) => names(canonical.rank(query, most))

describe("among the canonical tools", () => {
  it.each(["file.grep", "file_grep", "fileGrep", "FILE GREP"])(
    "%s is a name, and its tool comes first",
    (name) => {
      expect(found(name, 1)).toEqual(["file.grep"])
    },
  )

  it("every tool is found first by its own name, and by the one that models call it by", () => {
    for (const { name } of catalogue()) {
      expect([name, ...found(name, 1), ...found(name.replace(".", "_"), 1)]).toEqual([
        name,
        name,
        name,
      ])
    }
  })

  it.each([
    ["find text in files", "file.grep"],
    ["open a web page", "browser.navigate"],
    ["open a web page", "web.fetch"],
    ["remember", "memory.write"],
    ["remember something for me", "memory.write"],
    ["forget a fact", "memory.delete"],
    ["take a screenshot", "browser.screenshot"],
    ["transcribing recordings", "audio.transcribe"],
    ["make a graph of sales", "chart.render"],
    ["run a python program", "code.run"],
    ["delete a folder", "file.remove"],
    ["send a picture to the user", "media.send"],
    ["how do I stop a background server?", "process.kill"],
  ])("%s: %s is among the first three", (query, name) => {
    expect(found(query)).toContain(name)
  })

  it.each([
    ["remeber", "memory.write"],
    ["serach the txet of files", "file.grep"],
    ["scrennshot", "browser.screenshot"],
    ["transcr", "audio.transcribe"],
  ])("%s is forgiven: it finds %s", (query, name) => {
    expect(found(query)).toContain(name)
  })

  it.each(["", "   ", "the of and", "zzzzqqqq", "💥", "\u0000", "((((", "constructor"])(
    "%j finds nothing, and harms nothing",
    (query) => {
      expect(found(query)).toEqual([])
    },
  )
})

describe("among any tools", () => {
  const tools = [
    tool("mcp:github:create_issue", "Opens a ticket."),
    tool("mcp:tracker:newEntry", "Writes a line to the tracker.", { assigneeName: "Who does it." }),
    tool("mcp:bank:pay", "Sends money.", { iban: "The account of the one who is paid." }),
    tool("a.same", "Does the same."),
    tool("b.same", "Does the same."),
  ]
  const index = indexTools(tools)

  it("names of every style are taken apart", () => {
    expect(names(index.rank("github issue", 1))).toEqual(["mcp:github:create_issue"])
    expect(names(index.rank("GitHub", 1))).toEqual(["mcp:github:create_issue"])
    expect(names(index.rank("new entry", 1))).toEqual(["mcp:tracker:newEntry"])
  })

  it("parameters are searched: what they are called and what they are", () => {
    expect(names(index.rank("iban", 1))).toEqual(["mcp:bank:pay"])
    expect(names(index.rank("account", 1))).toEqual(["mcp:bank:pay"])
    expect(names(index.rank("assignee", 1))).toEqual(["mcp:tracker:newEntry"])
  })

  it("a name counts more than a mention, and equals stay in their order", () => {
    const two = indexTools([tool("a.b", "Deploys, and deploys."), tool("x.deploy", "Ships it.")])
    expect(names(two.rank("deploy", 2))).toEqual(["x.deploy", "a.b"])
    expect(names(index.rank("same", 5))).toEqual(["a.same", "b.same"])
  })

  it("what is not accepted does not take the place of what is", () => {
    expect(names(index.rank("same", 1, ({ name }) => name !== "a.same"))).toEqual(["b.same"])
  })

  it("hostile words take no time: long ones, many ones, in the query and in the tools", () => {
    const hostile = "A".repeat(toolSearchLimits.queryCharacters * 10)
    const many = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(" ")
    const started = performance.now()
    const loud = indexTools([tool("x.loud", `${many} ${hostile}`), ...tools])
    for (const query of [hostile, many, "aB".repeat(5_000)]) loud.rank(query, 5)
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})

it("finds tools among 5,000, also by misspelt words", () => {
  const verbs = ["create", "list", "get", "update", "delete", "search", "merge", "close"]
  const nouns = ["issue", "comment", "branch", "commit", "release", "label", "user", "team"]
  const at = (words: readonly string[], index: number) => words[index % words.length] ?? ""
  const many = Array.from({ length: 5_000 }, (_, n) => {
    const [verb, noun] = [at(verbs, n), at(nouns, n >> 3)]
    const about = `Does ${verb} with the ${noun} of service${n % 300}, part${n}.`
    return tool(`mcp:server${n % 50}:${verb}_${noun}_${n}`, about, {
      [`${noun}_id`]: `The ${noun}.`,
    })
  })
  const index = indexTools(many)
  for (const query of [
    "create issue",
    "mrege a brnach",
    "close every comment of a team",
    "server7",
  ]) {
    expect(index.rank(query, 20).length).toBeGreaterThan(0)
  }
})
