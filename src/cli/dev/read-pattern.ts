import { statSync } from "node:fs"
import { basename, extname, resolve } from "node:path"
import { type Arguments, UsageError } from "../flags/command.ts"

/** The file that `toolkeep dev` was given, and its name in addresses. */
export function readFileName({ positionals: [given = ""] }: Arguments): {
  readonly file: string
  readonly address: string
} {
  const file = resolve(given)
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile) throw new UsageError(`there is no file ${JSON.stringify(given)}.`)
  if (![".tsx", ".jsx", ".ts"].includes(extname(file))) {
    throw new UsageError("a pattern is a file such as pattern.tsx.")
  }
  const words = basename(file, extname(file)).toLowerCase().split(/\W/).filter(Boolean)
  return { file, address: words.join("-").slice(0, 60) || "pattern" }
}

/** `--input`: JSON where it is, else a text. */
export function readInputs(given: Arguments): Readonly<Record<string, unknown>> {
  const inputs = given.texts("input").map((text) => {
    const [, name, value = ""] = /^([\w$]+)=(.*)$/s.exec(text) ?? []
    if (name === undefined) {
      throw new UsageError("--input must be a name and a value, such as --input language=python.")
    }
    return [name, parsed(value)] as const
  })
  return Object.fromEntries(inputs)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
