import core, {
  _,
  type Code,
  type CodeKeywordDefinition,
  Name,
  type Options,
  str,
} from "ajv/dist/core.js"
import draft07 from "ajv/dist/vocabularies/draft7.js"
import draft2020 from "ajv/dist/vocabularies/draft2020.js"
import unevaluatedProperties from "ajv/dist/vocabularies/unevaluated/unevaluatedProperties.js"
import { fullFormats } from "ajv-formats/dist/formats.js"
import { dialectOf } from "../schema/check-schema.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import type { Dialect } from "../schema/schema-keywords.ts"
import { stepKeywords } from "./count-steps.ts"
import { sameItems } from "./same-items.ts"
import type { StepBudget } from "./step-budget.ts"

const latest: Dialect = "draft-2020-12"

const options: Options = {
  // Its optimizer takes a time that grows with the square of a schema's branches, and V8 has one of its own.
  code: { optimize: false },
  // Definitions are checked by checkSchema. What Ajv calls strict refuses valid schemas that say too much.
  strict: false,
  strictNumbers: true,
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  logger: false,
  // A schema that is referred to a thousand times is compiled once.
  inlineRefs: false,
}

/**
 * Put together from Ajv's parts: its ready-made classes and the formats' plugin also load every
 * meta-schema, which a command line pays for at each start and which is never used here.
 */
class ToolAjv extends defaultOf(core) {
  override _addVocabularies(): void {
    super._addVocabularies()
    for (const vocabulary of defaultOf(this.opts.next ? draft2020 : draft07)) {
      this.addVocabulary(vocabulary)
    }
    for (const definition of lengthKeywords) this.replaceKeyword(definition)
    if (this.opts.next) this.replaceKeyword(unevaluatedOwnProperties)
  }

  replaceKeyword(definition: CodeKeywordDefinition): void {
    this.removeKeyword(String(definition.keyword))
    this.addKeyword(definition)
  }
}

/** For one schema. Its checks take steps of the budget, where the schema has marks for them. */
export function createAjv(schema: JsonSchema, budget: StepBudget, settings: Options = {}): ToolAjv {
  // To know what was evaluated, Ajv tries every branch of a choice, also after one that fits.
  const unevaluated = JSON.stringify(schema).includes('"unevaluated')
  const next = (dialectOf(schema) ?? latest) === latest ? { next: true, unevaluated } : {}
  const ajv = new ToolAjv({ ...options, ...next, formats: fullFormats, ...settings })
  for (const keyword of stepKeywords(budget)) ajv.addKeyword(keyword)
  ajv.replaceKeyword(uniqueItems(budget))
  return ajv
}

let isAllowed: boolean | null = null

/** Not where a content security policy, a worker's platform or a flag of Node's forbids code made of text. */
export function canCompile(): boolean {
  try {
    isAllowed ??= typeof new Function("return 0") === "function"
  } catch {
    isAllowed = false
  }
  return isAllowed
}

/** What "default" means for a CommonJS module depends on who loads it: Node, a bundler, a test runner. */
function defaultOf<Value>(module: Value | { readonly default: Value }): Value {
  const isWrapped = typeof module === "object" && module !== null && "default" in module
  return isWrapped ? module.default : (module as Value)
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
    _`${units} < ${limit} * 2 - 1 && (${units} < ${limit} || ${counted} < ${limit})`,
)

/**
 * For input: text of blanks only is as empty as "", which an author who wants some text refuses. A `pattern` beside it
 * says itself whether blanks are text.
 */
export const minLengthOfInput: CodeKeywordDefinition = {
  ...minLength,
  code(context) {
    const { data, schema, parentSchema } = context
    if (schema >= 1 && parentSchema.pattern === undefined) context.fail(isBlankCode(data))
    minLength.code(context)
  },
}

/** Most texts start with a printable ASCII character, and need no closer look. */
export function isBlankCode(data: Name): Code {
  const isPrintable = _`${data}.charCodeAt(0) > 32 && ${data}.charCodeAt(0) < 127`
  return _`!(${isPrintable}) && ${data}.trim() === ""`
}

function lengthKeyword(
  keyword: string,
  word: string,
  isBroken: (units: Code, limit: Code, counted: Code) => Code,
): CodeKeywordDefinition {
  return {
    keyword,
    type: "string",
    schemaType: "number",
    // A text that is too long is not read by a pattern or a format first (bench: fuzz-slowest).
    before: "pattern",
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

export function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/**
 * Ajv counts the characters of every text that has a length limit. A text has at most as many
 * characters as UTF-16 units, and at least half as many, so that hardly any needs to be counted.
 */
const lengthKeywords: readonly CodeKeywordDefinition[] = [maxLength, minLength]

/** Ajv compares each item with each other one. */
function uniqueItems(budget: StepBudget): CodeKeywordDefinition {
  return {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: ({ params: { problem } }) => _`${problem}` },
    code(context) {
      const { gen, data, schema } = context
      if (!schema) return
      const find = gen.scopeValue("func", { ref: sameItems })
      const meter = gen.scopeValue("obj", { ref: budget })
      const problem = gen.const("problem", _`${find}(${data}, ${meter})`)
      context.setParams({ problem })
      context.fail(_`${problem} !== null`)
    },
  }
}

const unevaluated = defaultOf(unevaluatedProperties) as CodeKeywordDefinition

/** Ajv looks up which keys were evaluated in a plain object, which has "toString" and "constructor" without having seen them. */
const unevaluatedOwnProperties: CodeKeywordDefinition = {
  ...unevaluated,
  code(context) {
    const { gen, it } = context
    const { props } = it
    if (props instanceof Name) {
      const own = _`typeof ${props} === "object" ? { __proto__: null, ...${props} } : ${props}`
      it.props = gen.const("own", own)
    }
    unevaluated.code(context)
  },
}
