import core, { type Options } from "ajv/dist/core.js"
import draft07 from "ajv/dist/vocabularies/draft7.js"
import draft2020 from "ajv/dist/vocabularies/draft2020.js"
import { fullFormats } from "ajv-formats/dist/formats.js"
import { lengthKeywords } from "../schema/length-keywords.ts"
import type { Dialect } from "../schema/schema-keywords.ts"

const options: Options = {
  strict: true,
  // A branch of a union may lean on the type that stands beside the union.
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  // Definitions are checked by checkSchema.
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  logger: false,
}

/**
 * Put together from Ajv's parts: its ready-made classes and the formats' plugin also load every
 * meta-schema, which a command line pays for at each start and which is never used here.
 */
class InputAjv extends defaultOf(core) {
  override _addVocabularies(): void {
    super._addVocabularies()
    for (const vocabulary of defaultOf(this.opts.next ? draft2020 : draft07)) {
      this.addVocabulary(vocabulary)
    }
    for (const definition of lengthKeywords) {
      this.removeKeyword(String(definition.keyword))
      this.addKeyword(definition)
    }
  }
}

export function createAjv(dialect: Dialect, settings: Options = {}): InputAjv {
  const next = dialect === "draft-2020-12" ? { next: true, unevaluated: true } : {}
  return new InputAjv({ ...options, ...next, formats: fullFormats, ...settings })
}

/** What "default" means for a CommonJS module depends on who loads it: Node, a bundler, a test runner. */
function defaultOf<Value>(module: Value | { readonly default: Value }): Value {
  const isWrapped = typeof module === "object" && module !== null && "default" in module
  return isWrapped ? module.default : (module as Value)
}
