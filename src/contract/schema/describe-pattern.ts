/** Words longer than this say less than the argument's description does. */
const longestWords = 160

/**
 * What a regular expression asks for, in words: `one of a to z, then up to 62 of a to z or "-"`. Null where it says
 * more than words say well.
 */
export function describePattern(pattern: string): string | null {
  try {
    const words = new Pattern(pattern).words()
    return words.length > longestWords ? null : words
  } catch (error) {
    if (error instanceof Unspeakable) return null
    throw error
  }
}

class Unspeakable extends Error {}

const classes: Readonly<Record<string, readonly string[]>> = {
  d: ["0 to 9"],
  w: ["A to Z", "a to z", "0 to 9", '"_"'],
  s: ["white space"],
}

class Pattern {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  words(): string {
    const starts = this.#take("^")
    const words = this.#choice()
    const ends = this.#take("$")
    if (this.#at < this.#text.length) throw new Unspeakable()
    if (words === "") return starts && ends ? "nothing" : "anything"
    if (starts && ends) return words
    return starts ? `${words} at its start` : `${words} ${ends ? "at its end" : "in it"}`
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #next(): string {
    const character = this.#text[this.#at]
    if (character === undefined) throw new Unspeakable()
    this.#at += 1
    return character
  }

  #choice(): string {
    const branches = [this.#sequence()]
    while (this.#take("|")) branches.push(this.#sequence())
    return branches.join(" or ")
  }

  #sequence(): string {
    const parts: string[] = []
    let literal = ""
    const flush = () => {
      if (literal !== "") parts.push(JSON.stringify(literal))
      literal = ""
    }
    while (this.#at < this.#text.length && !/^(?:[|)]|\$$)/.test(this.#text.slice(this.#at))) {
      const part = this.#part()
      const count = this.#count()
      if (part.kind === "character" && count === null) literal += part.character
      else {
        flush()
        parts.push(counted(part, count))
      }
    }
    flush()
    return parts.join(", then ")
  }

  #part(): Part {
    if (this.#take("(")) {
      if (this.#take("?") && !this.#take(":")) throw new Unspeakable()
      const words = this.#choice()
      if (!this.#take(")")) throw new Unspeakable()
      return { kind: "group", words }
    }
    if (this.#take("[")) return { kind: "class", words: this.#class() }
    if (this.#take(".")) return { kind: "class", words: "any character" }
    if (this.#take("\\")) return this.#escaped()
    const character = this.#next()
    if ("*+?{}^$".includes(character)) throw new Unspeakable()
    return { kind: "character", character }
  }

  #escaped(): Part {
    const character = this.#next()
    const known = classes[character]
    if (known) return { kind: "class", words: either(known) }
    if (/\w/.test(character)) throw new Unspeakable()
    return { kind: "character", character }
  }

  #class(): string {
    const isNot = this.#take("^")
    const members: string[] = []
    while (!this.#take("]")) {
      const first = this.#member()
      const isRange = this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]"
      if (first.length > 1 || !isRange) {
        members.push(...(first.length > 1 ? (classes[first.slice(1)] ?? []) : [quoted(first)]))
        continue
      }
      this.#take("-")
      members.push(`${first} to ${this.#member()}`)
    }
    return isNot ? `any character but ${either(members)}` : either(members)
  }

  /** One character, or the name of a class such as "\\d". */
  #member(): string {
    const character = this.#next()
    if (character !== "\\") return character
    const escaped = this.#next()
    if (classes[escaped]) return `\\${escaped}`
    if (/\w/.test(escaped)) throw new Unspeakable()
    return escaped
  }

  /** Null for exactly one. */
  #count(): string | null {
    if (this.#take("*")) return "any number of"
    if (this.#take("+")) return "one or more of"
    if (this.#take("?")) return "optionally"
    const [whole, least = "", comma, most = ""] =
      /^\{(\d+)(,)?(\d*)\}/.exec(this.#text.slice(this.#at)) ?? []
    if (whole === undefined) return null
    this.#at += whole.length
    if (comma === undefined) return `${least} of`
    if (most === "") return `at least ${least} of`
    return least === "0" ? `up to ${most} of` : `${least} to ${most} of`
  }
}

type Part =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "class" | "group"; readonly words: string }

function counted(part: Part, count: string | null): string {
  const words = part.kind === "character" ? quoted(part.character) : part.words
  if (part.kind === "group") return count === null ? words : `${count} (${words})`
  if (count !== null) return `${count} ${words}`
  return words.startsWith("any ") ? words : `one of ${words}`
}

function quoted(character: string): string {
  return character === " " ? "space" : JSON.stringify(character)
}

function either(members: readonly string[]): string {
  const [last = "", ...others] = [...members].reverse()
  return others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`
}
