import { isObject } from "../contract/index.ts"
import { canonicalJson } from "../kit/index.ts"
import type { Place } from "./place.ts"

/** The texts that stand at one place of the arguments; none where the field is missing. */
export type ArgumentField = (input: unknown) => readonly string[]

const syntax = /^[^.[\]]+(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/

/** `command`, `options.cwd`, or `edits[].path` for the field of every entry. */
export function compileField(text: string, place: Place): ArgumentField {
  if (!syntax.test(text)) {
    place.fail('is no field of the arguments; write "command", "options.cwd" or "edits[].path".')
  }
  const steps = text.split(".").flatMap((part) => {
    const [key = "", ...lists] = part.split("[]")
    return [stepInto(key), ...lists.map(() => everyEntry)]
  })
  return (input) => {
    let values: readonly unknown[] = [input]
    for (const step of steps) values = values.flatMap(step)
    return values.filter((value) => value !== undefined).map(textOf)
  }
}

function stepInto(key: string): (value: unknown) => readonly unknown[] {
  // Own keys only: every object inherits a "constructor".
  return (value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key]] : [])
}

function everyEntry(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** JSON with sorted keys, so that the order in which a model writes them changes nothing. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value)
}
