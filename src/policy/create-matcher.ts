import { RE2JS, RE2JSException } from "re2js"
import { configLimits } from "../config/index.ts"

/** A pattern that can't be used. The message ends a sentence that names it. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError"
}

export interface Matcher {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean
}

/**
 * A regular expression whose work grows with the text's length and never faster, by RE2's rules: the
 * text comes from a model, and on JavaScript's own matcher `(a|a)*b` takes hours on 50 characters.
 * Looking only at the start of a long text would let the rest through unseen.
 */
export function createMatcher(source: string): Matcher {
  if (source.length > configLimits.expressionCharacters) {
    throw new ExpressionError(`is longer than ${configLimits.expressionCharacters} characters`)
  }
  try {
    const compiled = RE2JS.compile(source)
    return { test: (text) => compiled.test(text) }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(/^error parsing regexp: /, "")
    throw new ExpressionError(
      `is not a regular expression of the kind used here (RE2, without look-around and back-references): ${reason}`,
      { cause: error },
    )
  }
}
