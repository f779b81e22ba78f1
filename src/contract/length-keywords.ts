import { _, type Ajv, type Code, type CodeKeywordDefinition, str } from "ajv"

/**
 * Ajv counts the characters of every text that has a length limit. A text has at most as many
 * characters as UTF-16 units, and at least half as many, so that hardly any needs to be counted.
 */
export function useQuickLengths(ajv: Ajv): void {
  for (const definition of [maxLength, minLength]) {
    ajv.removeKeyword(String(definition.keyword))
    ajv.addKeyword(definition)
  }
}

const maxLength = lengthKeyword(
  "maxLength",
  "more",
  (units, limit, counted) =>
    _`${units} > ${limit} && (${units} > ${limit} * 2 || ${counted} > ${limit})`,
)

const minLength = lengthKeyword(
  "minLength",
  "fewer",
  (units, limit, counted) =>
    _`${units} < ${limit} * 2 && (${units} < ${limit} || ${counted} < ${limit})`,
)

function lengthKeyword(
  keyword: string,
  word: string,
  isBroken: (units: Code, limit: Code, counted: Code) => Code,
): CodeKeywordDefinition {
  return {
    keyword,
    type: "string",
    schemaType: "number",
    error: {
      message: ({ schemaCode }) => str`must NOT have ${word} than ${schemaCode} characters`,
    },
    code(context) {
      const { gen, data, schemaCode } = context
      const count = gen.scopeValue("func", { ref: countCharacters })
      context.fail(isBroken(_`${data}.length`, _`${schemaCode}`, _`${count}(${data})`))
    },
  }
}

function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
