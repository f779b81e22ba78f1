import { describe, expect, it } from "vitest"
import { failureOf, invalid, object } from "../../../test/support/contract/schema-fixture.ts"

const integer = { type: "integer" }
const text = { type: "string" }
const edits = {
  type: "array",
  minItems: 1,
  maxItems: 3,
  items: object(
    { search: { ...text, minLength: 2 }, all: { type: "boolean" } },
    { required: ["search"] },
  ),
}
const schema = object({
  path: {
    ...text,
    description: 'The file, such as "a.md". Relative paths start at the workspace.',
  },
  limit: { ...integer, minimum: 1, maximum: 10, description: "How many lines" },
  ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.5 },
  mode: { enum: ["read", "write"] },
  kind: { const: "file" },
  day: { ...text, format: "date" },
  code: { ...text, pattern: "^[a-z]+$", maxLength: 3 },
  word: {
    ...text,
    pattern: `^(?=.{1,9}$)[a-z]+(?:-[a-z]+){0,9}(?:_[a-z]+)?$`,
    description: "Words. Lower.",
  },
  tags: { type: "array", items: text, uniqueItems: true },
  edits,
  env: object({}, { patternProperties: { "^[A-Z]+$": text } }),
  labels: {
    type: "object",
    additionalProperties: text,
    propertyNames: { pattern: "^[a-z]+$" },
    minProperties: 1,
  },
  off: { not: {} },
})

describe("a refusal says which field, what it should be, and what it was only by kind and size", () => {
  it.each<[object, ReturnType<typeof invalid>]>([
    [
      { limit: "many" },
      invalid(
        'Argument "limit" must be integer from 1 to 10 (How many lines); got text of 4 characters.',
        "limit",
        "integer from 1 to 10 (How many lines)",
      ),
    ],
    [
      { path: 5 },
      invalid(
        'Argument "path" must be string (The file, such as "a.md"); got a number.',
        "path",
        'string (The file, such as "a.md")',
      ),
    ],
    [
      { limit: 11 },
      invalid('Argument "limit" must be <= 10.', "limit", "integer from 1 to 10 (How many lines)"),
    ],
    [{ ratio: 0 }, invalid('Argument "ratio" must be > 0.', "ratio", "number above 0 below 1")],
    [
      { ratio: 0.3 },
      invalid('Argument "ratio" must be multiple of 0.5.', "ratio", "number above 0 below 1"),
    ],
    [
      { mode: "append" },
      invalid(
        'Argument "mode" must be one of "read", "write"; got text of 6 characters.',
        "mode",
        'one of "read", "write"',
      ),
    ],
    [
      { word: "A" },
      invalid(
        'Argument "word" must be string as described (Words); got text of 1 character.',
        "word",
        "string as described (Words)",
      ),
    ],
    [{ kind: true }, invalid('Argument "kind" must be "file"; got a boolean.', "kind", '"file"')],
    [
      { day: "tomorrow" },
      invalid(
        'Argument "day" must be string in date form; got text of 8 characters.',
        "day",
        "string in date form",
      ),
    ],
    [
      { code: "A1" },
      invalid(
        'Argument "code" must be string of this form: one or more of a to z; got text of 2 characters.',
        "code",
        "string of this form: one or more of a to z",
      ),
    ],
    [
      { code: "abcd" },
      invalid(
        'Argument "code" must NOT have more than 3 characters.',
        "code",
        "string of this form: one or more of a to z",
      ),
    ],
    [
      { tags: "red" },
      invalid(
        'Argument "tags" must be array of string; got text of 3 characters.',
        "tags",
        "array of string",
      ),
    ],
    [
      { tags: ["a", null] },
      invalid('Argument "tags[1]" must be string; got null.', "tags[1]", "string"),
    ],
    [
      { tags: ["a", "a"] },
      invalid(
        'Argument "tags" must NOT have duplicate items (items ## 0 and 1 are identical).',
        "tags",
        "array of string",
      ),
    ],
    [
      { edits: [{ search: "ab" }, { search: "ab" }, { search: "" }] },
      invalid(
        'Argument "edits[2].search" must not be empty.',
        "edits[2].search",
        "non-empty string",
      ),
    ],
    [
      { edits: [{ search: "a" }] },
      invalid(
        'Argument "edits[0].search" must NOT have fewer than 2 characters.',
        "edits[0].search",
        "non-empty string",
      ),
    ],
    [
      { edits: [] },
      invalid(
        'Argument "edits" must NOT have fewer than 1 items.',
        "edits",
        "array of object with search, all",
      ),
    ],
    [
      { edits: [{ all: true }] },
      invalid(
        'Missing required argument "edits[0].search" (non-empty string).',
        "edits[0].search",
        "non-empty string",
      ),
    ],
    [
      { edits: [{ search: "ab", al: true }] },
      invalid(
        'Unknown argument "edits[0].al"; did you mean "all"?',
        "edits[0].al",
        "only search, all",
      ),
    ],
    [
      { edits: [{ serach: "ab" }] },
      invalid(
        'Unknown argument "edits[0].serach"; did you mean "search"?',
        "edits[0].serach",
        "only search, all",
      ),
    ],
    [
      { env: { path: "x" } },
      invalid(
        'Unknown argument "env.path"; known here: names of this form: one or more of A to Z.',
        "env.path",
        "only names of this form: one or more of A to Z",
      ),
    ],
    [
      { labels: { A: "x" } },
      invalid(
        '"labels.A" has a name that is not taken here.',
        "labels.A",
        "names: string of this form: one or more of a to z",
      ),
    ],
    [
      { labels: {} },
      invalid('Argument "labels" must NOT have fewer than 1 properties.', "labels", "object"),
    ],
    [{ off: 1 }, invalid('Argument "off" is not allowed here.', "off", "value")],
  ])("O8, O15: %j", (input, failure) => {
    expect(failureOf(schema, input)).toEqual(failure)
  })
})
