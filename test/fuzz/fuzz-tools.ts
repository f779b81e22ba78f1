import {
  type Capabilities,
  defineTool,
  type JsonSchema,
  type Tool,
} from "../../src/contract/index.ts"
import { adaptHost } from "../../src/sandbox/index.ts"
import { catalogue } from "../../src/tools/index.ts"

const { can: plain } = adaptHost({
  name: "memory",
  summary: "Runs commands and holds files.",
  home: "/home/user",
  can: { isolation: "virtual" },
  create: () => Promise.reject(new Error("it is only described")),
})

const able: Capabilities = {
  ...plain,
  host: "local",
  isolation: "none",
  liveOutput: true,
  argumentLists: true,
  fileModes: true,
  networks: ["full"],
  background: true,
  languages: { python: ["python3", "-c"], bash: ["bash", "-c"] },
  durable: true,
  ripgrep: "rg",
}

/** Every built-in tool, as a host that can do all and one that can do little offer it. */
export const builtInTools: readonly Tool[] = [
  ...new Map(
    [able, plain]
      .flatMap((can) => catalogue({ can }))
      .map((tool) => [`${tool.name} ${JSON.stringify(tool.inputSchema)}`, tool]),
  ).values(),
]

function object(properties: object, more: object = {}): JsonSchema {
  return { type: "object", properties, additionalProperties: false, ...more } as JsonSchema
}

const integer = { type: "integer" }
const text = { type: "string" }
const tagged = (kind: string, more: object) =>
  object({ kind: { const: kind }, ...more }, { required: ["kind"] })

/** Tools of nobody, for the keywords that the built-in ones don't use. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  unions: object({
    either: {
      anyOf: [integer, { type: "array", items: integer }, object({ x: integer, s: text })],
    },
    tagged: {
      oneOf: [
        tagged("size", { n: { ...integer, default: 3 } }),
        tagged("name", { s: text, flag: { type: "boolean" } }),
      ],
    },
    // A blank text decides here which branches fit.
    blank: { oneOf: [object({ s: text }), object({ s: text, t: text }, { required: ["s", "t"] })] },
    all: { allOf: [integer, { minimum: 1 }, { maximum: 50 }] },
    several: { type: ["integer", "boolean", "null"] },
    choice: { enum: ["Read", "write", 1, true, null] },
  }),
  references: object(
    {
      tree: { $ref: "#/$defs/tree" },
      json: { $ref: "#/$defs/json" },
      size: { $ref: "#/$defs/size" },
    },
    {
      $defs: {
        size: { ...integer, minimum: 1, default: 7 },
        tree: object({
          n: { ...integer, default: 1 },
          leaves: { type: "array", items: { $ref: "#/$defs/tree" } },
        }),
        json: {
          anyOf: [
            { type: ["null", "boolean", "number"] },
            { type: "array", items: { $ref: "#/$defs/json" } },
            { type: "object", additionalProperties: { $ref: "#/$defs/json" } },
          ],
        },
      },
    },
  ),
  forms: object({
    pair: { type: "array", prefixItems: [integer, { type: "boolean" }], items: false, minItems: 2 },
    row: { type: "array", prefixItems: [text], items: { type: "number", multipleOf: 0.5 } },
    set: { type: "array", items: text, uniqueItems: true, maxItems: 4 },
    map: { type: "object", additionalProperties: integer, propertyNames: { maxLength: 20 } },
    marks: object(
      {},
      { patternProperties: { "^n_[a-z]{1,4}$": integer, "^s_": { ...text, minLength: 2 } } },
    ),
    day: { ...text, format: "date" },
    mail: { ...text, format: "email" },
    code: { ...text, pattern: "^[a-z]{2,5}$" },
    ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    any: {},
  }),
  conditions: object(
    {
      a: integer,
      b: text,
      c: { not: { const: 5 }, type: "integer" },
      list: { type: "array", items: integer, contains: { minimum: 10 } },
    },
    {
      dependentRequired: { a: ["b"] },
      if: { required: ["c"] },
      else: { required: ["b"] },
      minProperties: 1,
    },
  ),
  inherited: object(
    { constructor: {}, toString: { ...integer, default: 1 }, valueOf: text },
    { required: ["constructor"] },
  ),
  evaluated: {
    type: "object",
    allOf: [object({ a: integer, b: text })],
    unevaluatedProperties: false,
  },
  draft07: {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object(
      {
        pair: {
          type: "array",
          items: [integer, { $ref: "#/definitions/flag" }],
          additionalItems: integer,
        },
        flag: { $ref: "#/definitions/flag" },
      },
      { definitions: { flag: { type: "boolean" } } },
    ),
  },
}

export const keywordTools: readonly Tool[] = Object.entries(schemas).map(([name, inputSchema]) =>
  defineTool({
    name: `fuzz.${name}`,
    description: "A demonstration.",
    input: inputSchema,
    run() {},
  }),
)
