import { DefinitionError } from "../contract/index.ts"

/** The file that a configuration was read from. */
export interface Origin {
  readonly file: string
  /** The line of each value, by its JSON Pointer. */
  readonly lines: ReadonlyMap<string, number>
}

/** The path of a value in a configuration, with its name and line for error messages. */
export interface ConfigPath {
  /** Such as `tools.rules[2].when`. */
  readonly name: string
  /** The line of the value; undefined if it does not come from a file. */
  readonly line: number | undefined
  at(step: string | number): ConfigPath
  /** A sentence about this value; `problem` follows the path's name. */
  describe(problem: string): string
  /** Throws a DefinitionError about this value; `problem` follows the path's name. */
  fail(problem: string): never
}

export function configRoot(origin?: Origin): ConfigPath {
  return createConfigPath(origin, [])
}

export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

function createConfigPath(
  origin: Origin | undefined,
  path: readonly (string | number)[],
): ConfigPath {
  const name = nameOf(path)
  const describe = (problem: string) => `${origin ? whereIn(origin, path) : ""}${name} ${problem}`
  return {
    name,
    line: origin?.lines.get(pointerTo(path)),
    at: (step) => createConfigPath(origin, [...path, step]),
    describe,
    fail(problem) {
      throw new DefinitionError(describe(problem))
    },
  }
}

/** A missing value has no line; its parent's line is used. */
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

/** A text as JSON, shortened so that an error stays one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
