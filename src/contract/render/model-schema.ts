import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { loosenSchema } from "../schema/loosen-schema.ts"
import { isPortablePattern } from "../schema/portable-pattern.ts"

/** What providers refuse at the top level of a tool's input, and with it the whole request. */
const notAtTop = new Set("anyOf oneOf allOf not if then else enum const $ref".split(" "))
/** How much of a rule that is left out is quoted. */
const quotedCharacters = 500

/**
 * A schema that every reader of patterns can read: other patterns are left out, and described. It takes all that the tool takes, and the
 * tool still checks all that it says.
 */
export function portableSchema(schema: JsonSchema): JsonSchema {
  return loosened(schema, isPortable)
}

/** The same as model providers take it: no choice between schemas at the top level, and plain names alone. */
export function modelSchema(schema: JsonSchema): JsonSchema {
  const top = loosened(
    schema,
    (keyword, value, part) =>
      isPortable(keyword, value) && !(part === schema && notAtTop.has(keyword)),
  )
  return withPlainNames(top)
}

/** Names that every provider takes for an argument. */
const plainName = /^[a-zA-Z0-9_.-]{1,64}$/

/** An argument with another name can still be sent, and is described. */
function withPlainNames(schema: JsonSchema): JsonSchema {
  const { properties = {}, additionalProperties: _others, ...rest } = schema
  const entries = Object.entries(properties)
  const odd = entries.filter(([name]) => !plainName.test(name))
  if (odd.length === 0) return schema
  const plain = Object.fromEntries(entries.filter(([name]) => plainName.test(name)))
  const said = schema.description === undefined ? "" : `${schema.description} `
  return {
    ...rest,
    properties: plain,
    description: `${said}Also takes: ${quoted(Object.fromEntries(odd))}`,
  }
}

function isPortable(keyword: string, value: unknown): boolean {
  if (keyword === "pattern") return typeof value === "string" && isPortablePattern(value)
  if (keyword !== "patternProperties") return true
  return isObject(value) && Object.keys(value).every(isPortablePattern)
}

type Keeps = Parameters<typeof loosenSchema>[1]["keeps"]

function loosened(schema: JsonSchema, keeps: Keeps): JsonSchema {
  // Mostly nothing is left out, and the schema is what it was.
  if (loosenSchema(schema, { keeps }) === schema) return schema
  return loosenSchema(schema, {
    keeps,
    finish: (result, given, lost) => (lost.length === 0 ? result : described(result, given, lost)),
  })
}

function described(result: JsonSchema, given: JsonSchema, lost: readonly string[]): JsonSchema {
  const rules = quoted(Object.fromEntries(lost.map((keyword) => [keyword, given[keyword]])))
  const said = given.description === undefined ? "" : `${given.description} `
  return { ...result, description: `${said}Also checked: ${rules}` }
}

function quoted(value: object): string {
  const text = JSON.stringify(value)
  return text.length > quotedCharacters ? `${text.slice(0, quotedCharacters)} [...]` : text
}
