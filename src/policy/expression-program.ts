import { limits } from "../contract/index.ts"
import { type Assertion, type Expression, ExpressionError } from "./expression-syntax.ts"

/** One state of the machine that an expression becomes; it leads to the next one in the list. */
export type State =
  | { readonly kind: "character"; readonly matches: CharacterTest }
  | { readonly kind: "assertion"; readonly which: Assertion }
  | Fork
  | { readonly kind: "accept" }

/** Leads to two states at once, without reading a character. */
export interface Fork {
  readonly kind: "fork"
  first: number
  second: number
}

type CharacterTest = (codePoint: number) => boolean

export function compileExpression(expression: Expression, flags: string): readonly State[] {
  const program = new Program(flags)
  program.write(expression)
  program.push({ kind: "accept" })
  return program.states
}

class Program {
  readonly states: State[] = []
  readonly #flags: string
  readonly #tests = new Map<string, CharacterTest>()

  constructor(flags: string) {
    this.#flags = flags
  }

  push(state: State): void {
    if (this.states.length >= limits.policy.expressionStates) {
      throw new ExpressionError("is too large: its counted repetitions multiply out")
    }
    this.states.push(state)
  }

  write(expression: Expression): void {
    switch (expression.kind) {
      case "character":
        this.push({ kind: "character", matches: this.#testFor(expression.source) })
        return
      case "assertion":
        this.push(expression)
        return
      case "sequence":
        for (const part of expression.parts) this.write(part)
        return
      case "choice":
        this.#writeChoice(expression.options)
        return
      case "repeat":
        this.#writeRequired(expression.part, expression.min)
        if (expression.max === Number.POSITIVE_INFINITY) this.#writeLoop(expression.part)
        else this.#writeOptional(expression.part, expression.max - expression.min)
        return
      default:
        expression satisfies never
    }
  }

  #writeChoice(options: readonly Expression[]): void {
    const exits: Fork[] = []
    for (const [index, option] of options.entries()) {
      const entry = index < options.length - 1 ? this.#fork() : null
      this.write(option)
      if (!entry) continue
      exits.push(this.#fork())
      entry.second = this.states.length
    }
    for (const exit of exits) leadTo(exit, this.states.length)
  }

  #writeRequired(part: Expression, count: number): void {
    for (let done = 0; done < count; done += 1) {
      const before = this.states.length
      this.write(part)
      // Nothing, however often, is nothing; and this loop may be asked to run a billion times.
      if (this.states.length === before) return
    }
  }

  #writeLoop(part: Expression): void {
    const start = this.states.length
    const entry = this.#fork()
    this.write(part)
    leadTo(this.#fork(), start)
    entry.second = this.states.length
  }

  #writeOptional(part: Expression, count: number): void {
    const entries: Fork[] = []
    for (let done = 0; done < count; done += 1) {
      entries.push(this.#fork())
      this.write(part)
    }
    for (const entry of entries) entry.second = this.states.length
  }

  #fork(): Fork {
    const next = this.states.length + 1
    const fork: Fork = { kind: "fork", first: next, second: next }
    this.push(fork)
    return fork
  }

  #testFor(source: string): CharacterTest {
    const test = this.#tests.get(source) ?? characterTest(source, this.#flags)
    this.#tests.set(source, test)
    return test
  }
}

function leadTo(fork: Fork, state: number): void {
  fork.first = state
  fork.second = state
}

/** What one character means is JavaScript's own answer: classes, Unicode properties, case. */
export function characterTest(source: string, flags: string): CharacterTest {
  const [literal = ""] = source
  if (literal === source && source !== "." && !flags.includes("i")) {
    const expected = source.codePointAt(0)
    return (codePoint) => codePoint === expected
  }
  const single = new RegExp(`^${source}$`, flags)
  // 0 is not asked yet, 1 no, 2 yes.
  const ascii = new Uint8Array(128)
  return (codePoint) => {
    const known = ascii[codePoint]
    if (known) return known === 2
    const matches = single.test(String.fromCodePoint(codePoint))
    ascii[codePoint] = matches ? 2 : 1
    return matches
  }
}
