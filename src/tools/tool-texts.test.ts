import { Tiktoken } from "js-tiktoken/lite"
import o200k from "js-tiktoken/ranks/o200k_base"
import { describe, expect, it } from "vitest"
import { type Capabilities, createForModel, renderTools, type Tool } from "../contract/index.ts"
import { catalogue } from "./catalogue.ts"
import { describeEnvironment } from "./describe-environment.ts"

const tools = catalogue()
const names = new Set(tools.map(({ name }) => name))
const { tool: forModel } = createForModel((name) => names.has(name))
const tokenizer = new Tiktoken(o200k)

/** A tool as a model's API is sent it. */
const sent = (tool: Tool) => JSON.stringify(renderTools("anthropic", [forModel(tool)])[0])

describe("what a model is sent of the tools", () => {
  it("O21, R3: is at most 200 tokens a tool, of all of them and of those that are listed at first", () => {
    const average = (some: readonly Tool[]) =>
      some.reduce((sum, tool) => sum + tokenizer.encode(sent(tool)).length, 0) / some.length
    const families = ["file", "shell", "process", "code", "tools", "system"]
    const first = tools.filter(
      ({ name }) => families.includes(name.split(".")[0] ?? "") || name === "sandbox.create",
    )
    expect(first).toHaveLength(22)
    expect(average(tools)).toBeLessThanOrEqual(200)
    expect(average(first)).toBeLessThanOrEqual(200)
  })

  it("O21: each argument has an example: its own, in the tool's, or one of its choices", () => {
    const without = tools.flatMap(({ name, description, inputSchema }) => {
      const example = JSON.parse(/Example: (\{.*\})\.$/.exec(description)?.[1] ?? "{}")
      const entries = Object.entries(inputSchema.properties ?? {})
      return entries.flatMap(([argument, { description = "", type, ...schema }]) => {
        const isShown =
          argument in example ||
          /\bsuch as\b/i.test(description) ||
          type === "boolean" ||
          schema.enum !== undefined ||
          // The example is in the arguments of a part.
          schema.properties !== undefined
        return isShown ? [] : [`${name} ${argument}`]
      })
    })
    expect(without).toEqual([])
  })

  it("Y5, R3: calls every tool as the list does", () => {
    const canonical = [...names].filter((name) => name.includes("."))
    const spelled = tools.flatMap((tool) => {
      const text = sent(tool)
      return canonical.filter((name) => text.includes(name)).map((name) => `${tool.name}: ${name}`)
    })
    expect(spelled).toEqual([])
    expect(sent(tools.find(({ name }) => name === "shell.exec") as Tool)).toContain("process_kill")
  })
})

describe("where commands run, for a model", () => {
  const can = {
    host: "any",
    isolation: "namespaces",
    networks: ["none", "allow-list"],
    programs: ["git", "python3"],
    mounts: true,
  } as unknown as Capabilities
  const bounds = [] as const

  it.each<[string, Partial<Capabilities>, object, string]>([
    [
      "a sandbox",
      {},
      {},
      "No network. None of your project's files, but for what is in /mnt. Programs: bash, git, python3.",
    ],
    [
      "one that may reach some domains",
      { mounts: false },
      { initial: { kind: "allow-list", domains: ["example.com", "example.org"] } },
      "Network: only example.com, example.org. None of your project's files. Programs: bash, git, python3.",
    ],
    [
      "the virtual bash",
      {
        isolation: "virtual",
        mounts: false,
        shell: { name: "virtual bash", lacks: ["trap", "kill"] },
      },
      {},
      "No network. None of your project's files. A virtual bash, which lacks trap; kill.",
    ],
    [
      "no sandbox",
      { isolation: "none", networks: ["full"] },
      {},
      "Network: as on this machine. No sandbox: it runs on this machine. Programs: bash, git, python3.",
    ],
  ])("F1: %s", (_, other, network, text) => {
    const environment = { can: { ...can, ...other }, network: { bounds, ...network } }
    expect(describeEnvironment(environment)).toBe(text)
  })

  it("F1: is in the description of shell.exec", () => {
    const exec = tools.find(({ name }) => name === "shell.exec")
    expect(exec?.description).toContain(
      "No network. None of your project's files, but for what is in /mnt. Programs: bash, git, python3, ",
    )
  })
})
