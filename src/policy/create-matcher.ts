import { RE2JS, RE2JSException } from "re2js"
import { type ConfigPath, configLimits } from "../config/index.ts"

/** Whether an expression matches anywhere in a text. */
export type Matcher = (text: string) => boolean

/**
 * A regular expression whose work grows with the text's length and never faster, by RE2's rules: the
 * text comes from a model, and on JavaScript's own matcher `(a|a)*b` takes hours on 50 characters.
 * Looking only at the start of a long text would let the rest through unseen.
 */
export function createMatcher(source: string, path: ConfigPath): Matcher {
  if (source.length > configLimits.expressionCharacters) {
    path.fail(`is longer than ${configLimits.expressionCharacters} characters.`)
  }
  try {
    const compiled = RE2JS.compile(source)
    return (text) => compiled.test(text)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(/^error parsing regexp: /, "")
    return path.fail(
      `is not a regular expression of the kind used here (RE2, without look-around and back-references): ${reason}.`,
    )
  }
}
