/** Shorter texts are in too many others to be hidden. */
const leastCharacters = 6

/** A part of a URL's path this long is more than a name. */
const longPart = 16

/** Words before a secret that are none. */
const schemes = /^(?:basic|bearer|digest|token)$/i

/**
 * Values that must not be in any message, each with the name that a message has in its place. Messages of others quote
 * what they were sent, so code that passes one on hides them first.
 */
export class Secrets {
  readonly #names = new Map<string, string>()
  #pattern: RegExp | null = null

  /** With its lines, its words, what is in a URL or a login that it is, and the forms that others quote it in. */
  add(name: string, value: string): this {
    for (const part of partsOf(value)) {
      for (const form of [part, encodeText(part), JSON.stringify(part).slice(1, -1)]) {
        const isSecret = form.length >= leastCharacters && !schemes.test(form)
        if (!isSecret || this.#names.has(form)) continue
        this.#names.set(form, name)
        this.#pattern = null
      }
    }
    return this
  }

  /** The same text with names in the place of secrets. */
  hide(text: string): string {
    if (this.#names.size === 0) return text
    this.#pattern ??= patternOf([...this.#names.keys()])
    return text.replaceAll(this.#pattern, (found) => `[${this.#names.get(found)}]`)
  }
}

/** The longest first, so that no part of one is left. */
function patternOf(values: string[]): RegExp {
  values.sort((one, other) => other.length - one.length)
  return new RegExp(
    values.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
    "g",
  )
}

function partsOf(value: string): string[] {
  const words = value.split(/\s+/)
  return [value, value.trim(), ...value.split(/[\r\n]+/), ...words, ...words.flatMap(insideOf)]
}

/** A login in base64; and of a URL the login, the parameters and what is long in its path. */
function insideOf(word: string): string[] {
  const login = isBase64(word) ? atob(word) : ""
  const url = word.includes("://") ? URL.parse(word) : null
  const path = url?.pathname.split("/").filter((part) => part.length >= longPart) ?? []
  const given = url ? [url.username, url.password, ...url.searchParams.values(), ...path] : []
  return [
    ...(/^[ -~]+:[ -~]*$/.test(login) ? login.split(/:(.*)/s) : []),
    ...given.flatMap(decoded),
  ]
}

function isBase64(word: string): boolean {
  return /^[A-Za-z0-9+/]{8,}={0,2}$/.test(word) && word.length % 4 === 0
}

function decoded(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
