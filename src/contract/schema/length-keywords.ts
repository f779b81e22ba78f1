import { _, type Code, type CodeKeywordDefinition, str } from "ajv/dist/core.js"

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
    _`${units} < ${limit} * 2 - 1 && (${units} < ${limit} || ${counted} < ${limit})`,
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
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/**
 * Ajv counts the characters of every text that has a length limit. A text has at most as many
 * characters as UTF-16 units, and at least half as many, so that hardly any needs to be counted.
 */
export const lengthKeywords: readonly CodeKeywordDefinition[] = [maxLength, minLength]
