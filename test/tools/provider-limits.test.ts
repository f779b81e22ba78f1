import { describe, expect, it } from "vitest"
import {
  defineTool,
  isObject,
  type JsonSchema,
  renderTools,
  type Tool,
} from "../../src/contract/index.ts"
import { dialectNames } from "../../src/dialects/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { builtInTools } from "../fuzz/fuzz-tools.ts"
import { openBridge, scriptedServer, temporaryHome } from "../support/mcp/bridge-fixture.ts"

/** What the APIs document, or say when they refuse a request: the strictest of OpenAI, Anthropic and Gemini. */
const documented = {
  toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  argumentName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  /** Of OpenAI: characters of a function's description, and of all names, enum values and constants of one schema. */
  descriptionCharacters: 1_024,
  schemaCharacters: 120_000,
  properties: 100,
  depth: 5,
  enumValues: 1_000,
  /** Tools in one request. */
  tools: 128,
} as const

/** At the top level they are refused by Anthropic and OpenAI, with the whole request. */
const notAtTop = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"]
/** What no provider's subset has; where a tool needs one, only its own check knows it. */
const nowhere = [
  ...["$ref", "$defs", "definitions", "$id", "$anchor", "$dynamicRef", "if", "then", "else", "not"],
  ...[
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "unevaluatedProperties",
    "prefixItems",
  ],
  ...[
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "additionalItems",
  ],
]

interface Shown {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

const shown = (tools: readonly Tool[]): readonly Shown[] => [
  ...renderTools("anthropic", tools).map(({ name, description, input_schema: schema }) => ({
    ...{ name, description, schema },
  })),
  ...renderTools("openai", tools).map(({ function: { name, description, parameters } }) => ({
    ...{ name, description, schema: parameters },
  })),
]

/** What a provider would refuse about a tool, in words. */
function problemsOf({ name, description, schema }: Shown): readonly string[] {
  const problems: string[] = []
  const require = (isFine: boolean, problem: string) => {
    if (!isFine) problems.push(`${name}: ${problem}`)
  }
  let properties = 0
  let values = 0
  const visit = (part: unknown, depth: number): void => {
    if (!isObject(part)) return
    require(depth <= documented.depth, `is nested ${depth} deep`)
    for (const keyword of nowhere) require(!(keyword in part), `has ${keyword}`)
    values += Array.isArray(part.enum) ? part.enum.length : 0
    for (const [argument, inner] of Object.entries(Object(part.properties))) {
      properties += 1
      require(documented.argumentName.test(argument), `has an argument ${argument}`)
      visit(inner, depth + 1)
    }
    for (const inner of Object.values(Object(part.patternProperties))) visit(inner, depth + 1)
    for (const list of [part.anyOf, part.oneOf, part.allOf]) {
      if (Array.isArray(list)) for (const inner of list) visit(inner, depth)
    }
    visit(part.items, depth + 1)
    visit(part.additionalProperties, depth + 1)
    if (Array.isArray(part.type) || part.type !== "array") return
    require(isObject(part.items), "has a list whose items are not described")
  }
  visit(schema, 0)
  require(documented.toolName.test(name), "is not a name for a function")
  require(description.length > 0, "has no description")
  require(description.length <=
    documented.descriptionCharacters, `description of ${description.length} characters`)
  require(schema.type === "object" && isObject(schema.properties), "does not take an object")
  for (const keyword of notAtTop) require(!(keyword in schema), `has ${keyword} at the top`)
  require(properties <= documented.properties, `has ${properties} properties`)
  require(values <= documented.enumValues, `has ${values} values to choose from`)
  require(JSON.stringify(schema).length <= documented.schemaCharacters, "is too long")
  return problems
}

describe("what model providers take", () => {
  it("Y3, R3: is every built-in tool", () => {
    expect(shown(builtInTools).flatMap(problemsOf)).toEqual([])
  })

  it.each(dialectNames)("Y3, R3: is every tool of %s", async (dialect) => {
    await using keep = await openToolkeep({ host: "memory", home: await temporaryHome(), dialect })
    const tools = keep.session().tools({ all: true })
    expect(tools.length).toBeLessThanOrEqual(documented.tools)
    expect(shown(tools).flatMap(problemsOf)).toEqual([])
  })

  it("Y3: is a tool whose schema is a choice: it is shown without, and enforced with it", () => {
    const input = {
      type: "object",
      properties: { id: { type: "string" }, name: { type: "string" } },
      additionalProperties: false,
      anyOf: [{ required: ["id"] }, { required: ["name"] }],
    } as const satisfies JsonSchema
    const tool = defineTool({ name: "demo.find", description: "Finds.", input, run: () => null })
    expect(shown([tool]).flatMap(problemsOf)).toEqual([])
    expect(renderTools("anthropic", [tool])[0]?.input_schema).toEqual({
      type: "object",
      properties: { id: { type: "string" }, name: { type: "string" } },
      additionalProperties: false,
      description: 'Also checked: {"anyOf":[{"required":["id"]},{"required":["name"]}]}',
    })
    expect(renderTools("mcp", [tool])[0]?.inputSchema).toEqual(tool.inputSchema)
    expect(tool.check({})).toMatchObject({ ok: false, failure: { kind: "invalid_args" } })
  })

  it("Y3: is a tool with an argument whose name they refuse: it is described, and still taken", () => {
    const input = {
      type: "object",
      properties: { $top: { type: "integer" }, name: { type: "string" } },
      required: ["$top"],
      additionalProperties: false,
    } as const satisfies JsonSchema
    const tool = defineTool({ name: "demo.query", description: "Asks.", input, run: () => null })
    expect(renderTools("openai", [tool])[0]?.function.parameters).toEqual({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["$top"],
      description: 'Also takes: {"$top":{"type":"integer"}}',
    })
    expect(tool.check({ $top: 3 })).toMatchObject({ ok: true })
  })

  it("Y3, Y15: is a bridged tool, whatever stands at the top of its schema", async () => {
    const listed = JSON.stringify({
      name: "pick",
      inputSchema: {
        type: "object",
        oneOf: [
          { properties: { a: { type: "string", pattern: "^\\p{C}$" } }, required: ["a"] },
          { properties: { b: { type: "integer" } }, required: ["b"] },
        ],
      },
    })
    const lists = `on["tools/list"] = ({ id }) => answer(id, { tools: [${listed}] })`
    const { session } = await openBridge({ mcpServers: { one: scriptedServer(lists) } })
    await session.prepare()
    for (const tool of session.tools({ all: true, for: "anthropic" })) {
      expect(Object.keys(tool.input_schema).filter((key) => notAtTop.includes(key))).toEqual([])
    }
    const [tool] = session
      .tools({ all: true, for: "openai" })
      .filter(({ function: { name } }) => /pick/.test(name))
    expect(tool?.function.parameters.description).toContain('"required":["a"]')
    expect(await session.call("mcp:one:pick", {})).toMatchObject({
      ok: false,
      kind: "invalid_args",
    })
  })
})
