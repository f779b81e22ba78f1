import { DefinitionError } from "../contract/index.ts"

/** The file that a policy was read from. */
export interface Origin {
  readonly file: string
  /** The line of each value, by its JSON Pointer. */
  readonly lines: ReadonlyMap<string, number>
}

/** A place in a policy, which knows its name and its line for whoever has to mend it. */
export interface Place {
  /** As a person writes it: `tools.rules[2].when`. */
  readonly name: string
  /** Its own line; undefined for what stands in no file. */
  readonly line: number | undefined
  at(step: string | number): Place
  /** A sentence about this place; `problem` follows the place's name. */
  describe(problem: string): string
  /** Throws the DefinitionError for this place; `problem` follows the place's name. */
  fail(problem: string): never
}

export function rootPlace(origin?: Origin): Place {
  return createPlace(origin, [])
}

export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

function createPlace(origin: Origin | undefined, path: readonly (string | number)[]): Place {
  const name = nameOf(path)
  const describe = (problem: string) => `${origin ? whereIn(origin, path) : ""}${name} ${problem}`
  return {
    name,
    line: origin?.lines.get(pointerTo(path)),
    at: (step) => createPlace(origin, [...path, step]),
    describe,
    fail(problem) {
      throw new DefinitionError(describe(problem))
    },
  }
}

/** What is missing has no line of its own; then the line of what it is missing from serves. */
function whereIn(origin: Origin, path: readonly (string | number)[]): string {
  for (let length = path.length; length >= 0; length -= 1) {
    const line = origin.lines.get(pointerTo(path.slice(0, length)))
    if (line !== undefined) return `${origin.file}, line ${line}: `
  }
  return `${origin.file}: `
}

function nameOf(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the policy"
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      const plain = /^[\w-]{1,60}$/.test(step) ? step : quote(step)
      return index === 0 ? plain : `.${plain}`
    })
    .join("")
}

/** A text as JSON writes it, cut so that an error stays one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
