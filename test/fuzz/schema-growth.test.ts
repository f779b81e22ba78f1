import { describe, expect, it } from "vitest"
import { defineTool, type JsonSchema, type Tool } from "../../src/contract/index.ts"
import { compileSchema } from "../../src/contract/validate/compile-schema.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { openBridge, scriptedServer } from "../support/mcp/bridge-fixture.ts"
import { diamondSchema, nested, overlaps, recursiveSchema } from "./overlapping-schemas.ts"
import { createRandom } from "./random.ts"

/** Of the processor, for one check. Work that doubles with each level takes as long at about 20 levels and an hour at 30. */
const mostMs = 3_000

const kinds = Object.keys(overlaps)
const depths = [16, 30]
const tooManySteps = {
  kind: "invalid_args",
  message:
    "The arguments take too many steps to check against this tool's schema; send less, or nest it less deeply.",
}

function toolOf(input: JsonSchema): Tool {
  return defineTool({ name: "own.tool", description: "Takes a tree.", input, run: () => null })
}

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

type Input = readonly [leaf: unknown, isList: boolean]

const refusedAtLeaf: Input = ["no number", false]
const inputs: readonly Input[] = [[1, false], refusedAtLeaf, ["no number", true]]

/** Checks deeper and deeper values, and ends at the first that takes too long: the next would take for ever. */
function slowInput(check: (value: unknown) => unknown, asked = inputs): unknown {
  for (const levels of depths) {
    for (const [leaf, isList] of asked) {
      const value = nested(levels, leaf, isList)
      if (processorMs(() => check(value)) > mostMs) return { levels, leaf, isList }
    }
  }
  return null
}

/** Each overlap alone, and then mixed. */
const mixes = [...kinds.map((kind) => [kind]), ...Array.from({ length: 3 }, () => kinds)]
const seeded = mixes.map((of, index) => [index + 1, of.length === 1 ? of[0] : "all", of] as const)

describe("the work of a check", () => {
  it.each(seeded)(
    "O15: is bounded for schemas that refer to themselves (%i: %s)",
    (seed, _, of) => {
      const random = createRandom(seed)
      for (const names of [1, 3]) {
        const schema = recursiveSchema(random, names, of)
        const tool = toolOf(schema)
        expect(slowInput((value) => tool.check(value))).toBeNull()
      }
    },
  )

  it.each(seeded)(
    "O15: is bounded for schemas that are referred to twice at each level (%i: %s)",
    (seed, _, of) => {
      const schema = diamondSchema(createRandom(seed), 40, of)
      const tool = toolOf(schema)
      expect(slowInput((value) => tool.check(value))).toBeNull()
    },
  )

  it.each(seeded)("O15: is bounded where schemas may not be compiled (%i: %s)", (seed, _, of) => {
    const random = createRandom(seed)
    for (const schema of [recursiveSchema(random, 2, of), diamondSchema(random, 40, of)]) {
      const { judge, problems } = compileSchema(schema, "interpreted")
      const ask = (value: unknown) => {
        for (const question of [judge, problems]) {
          expect(() => {
            try {
              question(value)
            } catch (error) {
              if (!/too many steps/.test(String(error))) throw error
            }
          }).not.toThrow()
        }
      }
      expect(slowInput(ask, [refusedAtLeaf])).toBeNull()
    }
  })

  it("O15: a list of texts that are the same but for their end is checked once", () => {
    const input: JsonSchema = {
      type: "object",
      properties: { list: { type: "array", items: { description: "Any." }, uniqueItems: true } },
      additionalProperties: false,
    }
    const list = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    const tool = toolOf(input)
    expect(processorMs(() => expect(tool.check({ list }).ok).toBe(true))).toBeLessThan(mostMs)
    expect(tool.check({ list: [...list, { index: 7 }] }).ok).toBe(false)
  })

  it("O15.nested: a tree of ten thousand nodes is still valid, and its mistakes are still named", () => {
    const branch = (kind: string): JsonSchema => ({
      type: "object",
      properties: {
        kind: { const: kind },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
        size: { type: "integer" },
      },
      required: ["kind"],
      additionalProperties: false,
    })
    const node = { oneOf: ["file", "folder", "link"].map(branch) }
    const tree = (levels: number): unknown => ({
      kind: "folder",
      children: levels === 0 ? [] : Array.from({ length: 3 }, () => tree(levels - 1)),
    })
    const tool = toolOf({
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      additionalProperties: false,
      $defs: { node },
    })
    expect(tool.check({ root: tree(8) })).toMatchObject({ ok: true })
    const wrong = { kind: "folder", children: [{ kind: "file", size: {} }] }
    expect(tool.check({ root: wrong })).toMatchObject({
      ok: false,
      failure: { field: "root.children[0].size" },
    })
  })
})

const twice = { $ref: "#/$defs/node" }
const doubling: JsonSchema = {
  type: "object",
  properties: { value: twice },
  additionalProperties: false,
  $defs: {
    node: {
      type: "object",
      properties: {
        next: { anyOf: [twice, { ...twice, title: "The same." }] },
        leaf: { type: "integer" },
      },
      additionalProperties: false,
    },
  },
}

it("O15: a session answers such a call, and reads what such a tool returned, within its bounds", async () => {
  const output = { ...doubling, properties: { ...doubling.properties, ok: { type: "boolean" } } }
  const answering = defineTool({
    name: "own.answer",
    description: "Answers with a tree.",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: output as JsonSchema,
    run: () => ({ ok: true, ...(nested(40, "no number") as object) }),
  })
  await using keep = await openToolkeep({ host: "memory", tools: [toolOf(doubling), answering] })
  const session = keep.session()
  expect(await session.call("own.tool", nested(40, 1))).toMatchObject({ ok: true })
  expect(await session.call("own.tool", nested(40, "no number"))).toMatchObject({
    ok: false,
    tool: "own.tool",
    ...tooManySteps,
  })
  const { user } = process.threadCpuUsage()
  await session.call("own.answer", {})
  expect((process.threadCpuUsage().user - user) / 1_000).toBeLessThan(mostMs)
})

it("Y15: a bridged server's schema can't keep the process busy", async () => {
  const clique = Array.from({ length: 12 }, (_, index) => `n${index}`)
  const references = Object.fromEntries(clique.map((name) => [name, { $ref: `#/$defs/${name}` }]))
  const part = { type: "object", properties: references }
  const schemas = {
    doubling,
    clique: {
      type: "object",
      properties: references,
      $defs: Object.fromEntries(clique.map((name) => [name, part])),
    },
    choices: {
      type: "object",
      properties: { value: twice },
      $defs: {
        node: {
          anyOf: [{ type: "integer" }, { type: "array", items: twice }, ...inArrays(1_000)],
        },
      },
    },
  }
  const script = `tools = Object.entries(${JSON.stringify(schemas)})
    .map(([name, inputSchema]) => ({ ...tools[0], name, inputSchema }))`
  const { session } = await openBridge({
    mcpServers: { hostile: scriptedServer(script), good: scriptedServer("") },
  })
  await session.prepare()
  const before = process.threadCpuUsage()
  expect(await session.call("mcp:hostile:doubling", nested(40, "no number"))).toMatchObject({
    ok: false,
    ...tooManySteps,
  })
  expect(await session.call("mcp:hostile:choices", { value: [[[["text"]]]] })).toMatchObject({
    ok: false,
    kind: "invalid_args",
  })
  for (const provider of ["gemini", "openai", "anthropic"] as const) {
    expect(session.tools({ for: provider }).length).toBeGreaterThan(3)
  }
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(3 * mostMs)
  expect(await session.call("mcp:good:echo", { text: "still here" })).toMatchObject({ ok: true })
})

/** Choices that each lead back to the choice. */
function inArrays(count: number): readonly JsonSchema[] {
  return Array.from({ length: count }, () => ({ type: "array", items: twice }))
}
