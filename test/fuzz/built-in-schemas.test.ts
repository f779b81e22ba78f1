import { describe, expect, it } from "vitest"
import { isObject, type JsonSchema, type Tool } from "../../src/contract/index.ts"
import { builtInTools } from "./fuzz-tools.ts"
import { createRandom } from "./random.ts"
import { ValidValues } from "./valid-value.ts"

interface Place {
  readonly tool: Tool
  readonly schema: JsonSchema
  readonly where: string
}

/** Every schema inside a tool's input schema. */
function placesOf(tool: Tool): Place[] {
  const found: Place[] = []
  const visit = (value: unknown, where: string) => {
    if (!isObject(value)) return
    if ("type" in value || "enum" in value) found.push({ tool, schema: value, where })
    for (const [key, part] of Object.entries(value)) {
      if (key !== "default" && key !== "enum") visit(part, `${where}.${key}`)
    }
  }
  visit(tool.inputSchema, tool.name)
  return found
}

const places = builtInTools.flatMap(placesOf)

/** A valid value with every property in it. */
function complete(tool: Tool): Record<string, unknown> {
  return new ValidValues(tool.inputSchema, createRandom(3), 1).next() as Record<string, unknown>
}

/** Each object in the value that does not take any key, with a way to put something into it. */
function objectsIn(
  value: unknown,
  path: string,
  schema: JsonSchema,
): { path: string; object: Record<string, unknown> }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      objectsIn(item, `${path}[${index}]`, Object(schema.items)),
    )
  }
  if (!isObject(value)) return []
  const patterns = Object.keys(Object(schema.patternProperties))
  if (patterns.some((pattern) => new RegExp(pattern, "u").test("not declared"))) return []
  const inner = Object.entries(value).flatMap(([key, part]) =>
    objectsIn(part, path === "" ? key : `${path}.${key}`, Object(schema.properties?.[key])),
  )
  return [{ path, object: value }, ...inner]
}

describe("every built-in tool", () => {
  it("O15.nested, O15.all: closes every object", () => {
    const open = places.filter(
      ({ schema }) => schema.type === "object" && schema.additionalProperties !== false,
    )
    expect(open.map(({ where }) => where)).toEqual([])
  })

  it("O15.field, O15.nested, O15.all: names an unknown key as the field, at every depth", () => {
    for (const tool of builtInTools) {
      const input = complete(tool)
      for (const { path, object } of objectsIn(input, "", tool.inputSchema)) {
        object["not declared"] = 1
        const field = path === "" ? "not declared" : `${path}.not declared`
        expect({ tool: tool.name, ...tool.check(input) }).toMatchObject({
          tool: tool.name,
          ok: false,
          failure: { kind: "invalid_args", field },
        })
        Reflect.deleteProperty(object, "not declared")
      }
      expect(tool.check(input)).toMatchObject({ ok: true, notes: [] })
    }
  })

  it("O21: describes every argument with an example, here or in the tool's own, or says all by its type", () => {
    const silent = places.filter(({ schema, where, tool }) => {
      const [, argument] = /\.properties\.(\w+)$/.exec(where) ?? []
      const isOpen = schema.type === "string" && !schema.enum
      const about = String(schema.description ?? "")
      const isShown =
        /such as|"|Text|text/i.test(about) || tool.description.includes(`"${argument}":`)
      return argument !== undefined && (about === "" || (isOpen && !isShown))
    })
    expect(silent.map(({ where }) => where)).toEqual([])
  })

  it("O21.example: gives an example call in its description that its own schema accepts as it is", () => {
    for (const tool of builtInTools) {
      const example = /Example: (\{.*\})\.$/s.exec(tool.description)?.[1]
      expect({ tool: tool.name, example }).toEqual({ tool: tool.name, example: expect.any(String) })
      expect({ tool: tool.name, ...tool.check(JSON.parse(example ?? "")) }).toMatchObject({
        tool: tool.name,
        ok: true,
        notes: [],
      })
    }
  })

  it("O21.default: declares a default for each optional flag and each closed set", () => {
    const objects = places.filter(({ schema }) => schema.properties !== undefined)
    const missing = objects.flatMap(({ schema, where }) =>
      Object.entries(schema.properties ?? {})
        .filter(([name, part]) => !schema.required?.includes(name) && part.default === undefined)
        .filter(([, part]) => part.type === "boolean" || part.enum !== undefined)
        .map(([name]) => `${where}.${name}`),
    )
    expect(missing).toEqual([])
  })
})
