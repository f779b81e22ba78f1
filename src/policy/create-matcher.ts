import { limits } from "../contract/index.ts"
import { characterTest, compileExpression, type State } from "./expression-program.ts"
import { type Assertion, ExpressionError, parseExpression } from "./expression-syntax.ts"

/** How much work is left; shared by all the rules that look at one call. */
export interface Effort {
  steps: number
}

/** Thrown when the effort is spent before the answer is known. */
export class EffortSpent extends Error {
  override readonly name = "EffortSpent"
}

export interface Matcher {
  /** Whether the expression matches anywhere in the text. */
  test(text: string, effort: Effort): boolean
}

const none = -1

/**
 * A regular expression whose work grows with the text's length and never faster.
 *
 * The text comes from a model, and JavaScript's own matcher tries one path after another: `(a|a)*b`
 * takes hours on 50 characters, and even `curl.*\|.*sh` is quadratic. Refusing such expressions would
 * refuse the useful ones, and looking only at the start of a long text would let the rest through
 * unseen. So all paths are followed at once, over the whole text, one character at a time: at most
 * text × states comparisons, and a budget that fails closed.
 */
export function createMatcher(source: string): Matcher {
  if (source.length > limits.policy.expressionCharacters) {
    throw new ExpressionError(`is longer than ${limits.policy.expressionCharacters} characters`)
  }
  const [prefix = "", letters = ""] = /^\(\?([ims]+)\)/.exec(source) ?? []
  const flags = `u${letters}`
  const states = compileExpression(parseExpression(source.slice(prefix.length), flags), flags)
  const holds = assertionTest(flags)
  return { test: (text, effort) => run(states, { text, effort, holds }) }
}

interface Run {
  readonly text: string
  readonly effort: Effort
  readonly holds: (which: Assertion, before: number, after: number) => boolean
}

function run(states: readonly State[], { text, effort, holds }: Run): boolean {
  // Making the list below costs too, and a call may bring millions of short texts.
  effort.steps -= states.length
  // At which position a state was last reached: a state is followed once for each character.
  const reached = new Int32Array(states.length).fill(none)
  const waiting: number[] = []
  const next: number[] = []
  let before = none
  for (let position = 0; ; ) {
    const after = text.codePointAt(position) ?? none
    // The match may start anywhere, so the first state is tried again at every character.
    waiting.push(0)
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (reached[index] === position) continue
      reached[index] = position
      if (--effort.steps < 0) throw new EffortSpent()
      const state = states[index] as State
      if (state.kind === "character") {
        if (after !== none && state.matches(after)) next.push(index + 1)
      } else if (state.kind === "fork") waiting.push(state.first, state.second)
      else if (state.kind === "accept") return true
      else if (holds(state.which, before, after)) waiting.push(index + 1)
    }
    if (after === none) return false
    while (next.length > 0) waiting.push(next.pop() as number)
    before = after
    position += after > 0xffff ? 2 : 1
  }
}

function assertionTest(flags: string): Run["holds"] {
  const word = characterTest("\\w", flags)
  const lineEnd = characterTest("[\\n\\r\\u2028\\u2029]", flags)
  const lines = flags.includes("m")
  const isWord = (character: number) => character !== none && word(character)
  const isEdge = (character: number) => character === none || (lines && lineEnd(character))
  return (which, before, after) => {
    switch (which) {
      case "start":
        return isEdge(before)
      case "end":
        return isEdge(after)
      case "word-boundary":
        return isWord(before) !== isWord(after)
      case "no-word-boundary":
        return isWord(before) === isWord(after)
      default:
        return which satisfies never
    }
  }
}
