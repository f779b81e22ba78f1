import type { ToolFailure } from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"

/** A pattern for `grep -E`. */
export interface PosixPattern {
  readonly text: string
  readonly ignoresCase: boolean
}

/**
 * Writes a regular expression as ripgrep reads it in the way of POSIX. Which lines match is the same, so what only
 * changes the length of a match goes: a lazy repetition is a plain one, a group without a number a plain group.
 */
export function posixPattern(pattern: string): PosixPattern {
  const ignoresCase = pattern.startsWith("(?i)")
  const reader = new PatternReader(ignoresCase ? pattern.slice(4) : pattern)
  return { text: reader.read(), ignoresCase }
}

const classes: Readonly<Record<string, string>> = { d: "0-9", w: "[:alnum:]_", s: "[:space:]" }
const characters: Readonly<Record<string, string>> = {
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\x07",
}
const anchors: Readonly<Record<string, string>> = {
  ...{ A: "^", z: "$", b: "\\b", B: "\\B", "<": "\\<", ">": "\\>" },
}
const special = /[.[\]{}()*+?^$|\\]/
const mostRepetitions = 1_000

class PatternReader {
  readonly #pattern: string
  #at = 0
  #depth = 0
  /** Whether a repetition can follow. */
  #hasAtom = false

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): string {
    let text = ""
    while (this.#at < this.#pattern.length) text += this.#next()
    if (this.#depth > 0) throw wrong('it has a "(" without its ")"')
    return text
  }

  #next(): string {
    const character = this.#take()
    switch (character) {
      case "(":
        this.#depth += 1
        this.#openGroup()
        return this.#start("(")
      case ")":
        if (this.#depth === 0) throw wrong('it has a ")" without its "("')
        this.#depth -= 1
        return this.#atom(")")
      case "|":
      case "^":
        return this.#start(character)
      case "$":
        return this.#start("$")
      case "[":
        return this.#atom(this.#set())
      case "\\":
        return this.#escape()
      case "*":
      case "+":
      case "?":
        return this.#repeat(character)
      case "{":
        return this.#count()
      case "}":
        return this.#atom("\\}")
      default:
        return this.#atom(character)
    }
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0)
    this.#at += character.length
    return character
  }

  #takes(expression: RegExp): string | null {
    const [found] = expression.exec(this.#pattern.slice(this.#at)) ?? []
    if (found === undefined) return null
    this.#at += found.length
    return found
  }

  #atom(text: string): string {
    this.#hasAtom = true
    return text
  }

  #start(text: string): string {
    this.#hasAtom = false
    return text
  }

  #openGroup(): void {
    if (this.#pattern[this.#at] !== "?") return
    if (this.#takes(/^\?(?:P?<[A-Za-z_]\w*>|:)/) !== null) return
    if (/^\?<?[=!]/.test(this.#pattern.slice(this.#at))) throw wrong("it has a look-around")
    throw wrong('it has flags that this sandbox\'s grep lacks; only "(?i)" at its start is known')
  }

  #repeat(sign: string): string {
    if (!this.#hasAtom) throw wrong(`it has a ${JSON.stringify(sign)} after nothing to repeat`)
    this.#takes(/^\?/)
    // More signs in a row repeat the same again.
    const more = this.#takes(/^[*+?]+/) ?? ""
    return /[*?]/.test(more) || (sign !== "+" && more !== "") ? "*" : sign
  }

  #count(): string {
    const count = this.#takes(/^\d+(?:,\d*)?\}/)
    if (count === null) return this.#atom("\\{")
    if (!this.#hasAtom) throw wrong('it has a "{" after nothing to repeat')
    this.#takes(/^\?/)
    if ((count.match(/\d+/g) ?? []).some((number) => Number(number) > mostRepetitions)) {
      throw wrong(`it repeats something more than ${mostRepetitions} times`)
    }
    return `{${count}`
  }

  #escape(): string {
    if (this.#at >= this.#pattern.length) throw wrong('it ends with a "\\"')
    const letter = this.#take()
    const anchor = anchors[letter]
    if (anchor !== undefined) return this.#start(anchor)
    const known = classes[letter.toLowerCase()]
    if (known !== undefined) {
      return this.#atom(letter in classes ? `[${known}]` : `[^${known}]`)
    }
    return this.#atom(literal(this.#character(letter)))
  }

  /** The character that an escape stands for. */
  #character(letter: string): string {
    const code =
      letter === "x" || letter === "u"
        ? this.#takes(/^(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})/)
        : null
    if (code !== null)
      return String.fromCodePoint(Number.parseInt(code.replaceAll(/[{}]/g, ""), 16))
    const character = characters[letter] ?? letter
    if (!/^[A-Za-z0-9]$/.test(character)) return character
    if (/\d/.test(letter)) throw wrong("it has a back-reference")
    throw wrong(`this sandbox's grep has no "\\${letter}"`)
  }

  /** `[...]`: POSIX knows no escapes in it, so some characters have their places instead. */
  #set(): string {
    const negated = this.#takes(/^\^/) !== null
    const singles = new Set<string>()
    let parts = ""
    for (let first = true; ; first = false) {
      if (this.#at >= this.#pattern.length) throw wrong('it has a "[" without its "]"')
      if (!first && this.#takes(/^\]/) !== null) break
      const named = this.#takes(/^\[:\^?[a-z]+:\]/)
      if (named?.includes("^") || /^(?:\[|&&|--|~~)/.test(this.#pattern.slice(this.#at))) {
        throw wrong("it has a set in a set")
      }
      const part = named ?? this.#member()
      if (part.length > 2 || named !== null) parts += part
      else singles.add(part)
    }
    return setOf(negated, parts, singles)
  }

  /** A character, a range or a class of a set. */
  #member(): string {
    const from = this.#setCharacter()
    if (from.length > 2) return from
    if (!/^-[^\]]/.test(this.#pattern.slice(this.#at))) return from
    this.#at += 1
    const to = this.#setCharacter()
    if (to.length > 2 || to < from) throw wrong("it has a range that ends before it starts")
    return `${from}-${to}`
  }

  #setCharacter(): string {
    const character = this.#take()
    if (character !== "\\") return character
    const letter = this.#take()
    if (letter in classes) return classes[letter] ?? ""
    if (letter.toLowerCase() in classes) throw wrong(`it has "\\${letter}" in a set`)
    return letter === "b" ? "\b" : this.#character(letter)
  }
}

function literal(character: string): string {
  return special.test(character) ? `\\${character}` : character
}

/** "]" comes first, "^" not first, "-" last; and "[" where it opens nothing. */
function setOf(negated: boolean, parts: string, singles: Set<string>): string {
  const has = (character: string) => (singles.delete(character) ? character : "")
  const [closing, opening, caret, dash] = ["]", "[", "^", "-"].map(has)
  const plain = [...singles].join("")
  const start = `${closing}${parts}${plain}`
  if (negated) return `[^${start}${opening}${caret}${dash}]`
  if (start !== "" || opening) return `[${start}${opening}${caret}${dash}]`
  return caret && dash ? "[-^]" : literal(caret || dash || "")
}

function wrong(problem: string): ToolFailure {
  return invalidArgument(
    "pattern",
    `The search could not run: the pattern can't be read, since ${problem}.`,
    'a regular expression such as "function \\w+\\(", or fixed: true for plain text',
  )
}
